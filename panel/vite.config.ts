import { defineConfig } from "vite";

// The daemon serves the built files with a strict policy: nothing inline, nothing from elsewhere.
export default defineConfig({
  build: {
    outDir: "../src/handrail/panel_files",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
});
