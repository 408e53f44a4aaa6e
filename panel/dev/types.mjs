// Writes src/api/schema.ts from the OpenAPI document of the daemon. Its first line has the hash of
// the document, by which tests/api notice that it is out of date.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const panel = dirname(dirname(fileURLToPath(import.meta.url)));
const python = process.env.PYTHON ?? join(panel, "..", ".venv", "bin", "python");
const document = execFileSync(python, ["-m", "handrail.api.openapi"], { encoding: "utf8" });
const hash = createHash("sha256").update(document).digest("hex");
const tree = await openapiTS(document, {
  alphabetize: true,
  // A default may be left out of a request; in answers it is there (see Complete in types.ts).
  defaultNonNullable: false,
});
const types = astToString(tree);
const head = `// ${hash}\n// Made by \`npm run types\` from the OpenAPI document. Do not edit.\n\n`;
writeFileSync(join(panel, "src", "api", "schema.ts"), head + types);
