/** Requests to the daemon, typed by the OpenAPI document. */
import { revealing } from "./reveal";
import type { paths } from "./schema";
import type { Complete, Problem } from "./types";

const PREFIX = "/api/v1";
/** Where the second secret of a login is. A browser sends its cookie to every port of this machine,
 * so also to a server that an agent started; the key stays with this origin, and changes need it. */
const KEY = "handrail.key";

let keyHere = "";

/** Remembers the key that came with a login. */
export function keepKey(key: string): void {
  keyHere = key;
  try {
    localStorage.setItem(KEY, key);
  } catch {
    // Storage is switched off: the login lasts until the page is closed.
  }
}

function ownKey(): string {
  try {
    return localStorage.getItem(KEY) ?? keyHere;
  } catch {
    return keyHere;
  }
}

type Method = "get" | "post" | "put" | "delete";
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }>
    ? P extends `${typeof PREFIX}${infer Short}`
      ? Short
      : never
    : never;
}[keyof paths];
type OperationAt<M extends Method, P extends string> = `${typeof PREFIX}${P}` extends keyof paths
  ? paths[`${typeof PREFIX}${P}`][M]
  : never;

type ContentOf<R> = R extends { content: { "application/json": infer J } } ? Complete<J> : string;
type AnswerOf<O> = O extends { responses: infer R } ? ContentOf<R[Extract<keyof R, 200 | 201 | 202>]> : never;
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : undefined;
type PathParametersOf<O> = O extends { parameters: { path: infer P } } ? P : object;
type QueryOf<O> = O extends { parameters: { query?: infer Q } }
  ? [NonNullable<Q>] extends [never]
    ? object
    : NonNullable<Q>
  : object;
/** Path parameters and query in one object: the names never clash. */
type ParametersOf<O> = PathParametersOf<O> & QueryOf<O>;

/** The daemon refused a request, and says why. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

/** No answer came: the daemon is gone, or the network is. */
export class NoAnswerError extends Error {
  constructor() {
    super("Handrail's daemon does not answer.");
  }
}

let onUnauthorized: () => void = () => undefined;
let onNoAnswer: () => void = () => undefined;

/** Says what happens when nobody is logged in. */
export function whenUnauthorized(then: () => void): void {
  onUnauthorized = then;
}

/** Says what happens when the daemon does not answer. */
export function whenNoAnswer(then: () => void): void {
  onNoAnswer = then;
}

/** Returns the address of a path with its parameters filled in; the others become the query. */
export function addressOf(path: string, parameters: Record<string, unknown> = {}): string {
  const left = new Map(Object.entries(parameters));
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of left) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const asked = query.toString();
  return PREFIX + filled + (asked ? `?${asked}` : "");
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const problem = (await response.json()) as Partial<Problem>;
    if (problem.title) return { ...problem, title: problem.title, status: response.status };
  } catch {
    // Not JSON: the status says enough.
  }
  return { title: `The daemon answered ${response.status}`, status: response.status };
}

async function send(method: Method, address: string, body: unknown): Promise<unknown> {
  const headers: Record<string, string> = {};
  const init: RequestInit = { method: method.toUpperCase(), credentials: "same-origin", headers };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    headers["Content-Type"] = "application/json";
  }
  if (method !== "get") headers["Handrail-Key"] = ownKey();
  let response: Response;
  try {
    response = await fetch(address, init);
  } catch {
    onNoAnswer();
    throw new NoAnswerError();
  }
  if (!response.ok) {
    if (response.status === 401) onUnauthorized();
    throw new ApiError(await problemOf(response));
  }
  const type = response.headers.get("Content-Type") ?? "";
  return type.includes("json") ? JSON.parse(await response.text(), revealing) : response.text();
}

type Arguments<O> = object extends ParametersOf<O> ? [parameters?: ParametersOf<O>] : [parameters: ParametersOf<O>];
type BodyArguments<O> = [parameters: ParametersOf<O>, body: BodyOf<O>];

/** One function per method: `await api.get("/runs/{run}", { run: "shop" })`. */
export const api = {
  get<P extends PathOf<"get">>(
    path: P,
    ...[parameters]: Arguments<OperationAt<"get", P>>
  ): Promise<AnswerOf<OperationAt<"get", P>>> {
    return send("get", addressOf(path, { ...parameters }), undefined) as never;
  },
  post<P extends PathOf<"post">>(
    path: P,
    ...[parameters, body]: BodyArguments<OperationAt<"post", P>>
  ): Promise<AnswerOf<OperationAt<"post", P>>> {
    return send("post", addressOf(path, { ...parameters }), body) as never;
  },
  put<P extends PathOf<"put">>(
    path: P,
    ...[parameters, body]: BodyArguments<OperationAt<"put", P>>
  ): Promise<AnswerOf<OperationAt<"put", P>>> {
    return send("put", addressOf(path, { ...parameters }), body) as never;
  },
  delete<P extends PathOf<"delete">>(
    path: P,
    ...[parameters]: Arguments<OperationAt<"delete", P>>
  ): Promise<AnswerOf<OperationAt<"delete", P>>> {
    return send("delete", addressOf(path, { ...parameters }), undefined) as never;
  },
};
