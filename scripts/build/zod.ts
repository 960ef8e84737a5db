import type { Plugin } from "esbuild";

/** The exports that this project never calls, but that would be bundled: a reader of JSON Schema, and a compiler of schemas. */
const UNUSED: Readonly<Record<string, string>> = {
  "./from-json-schema.js": "export let fromJSONSchema;",
  "./compile.js": "export let INVALID, compile, withParser, ZodCompileAsyncError, ZodCompileUnsupportedError;",
};

/**
 * Zod without the unused exports, and with only one of its fifty translations of messages, because nobody here reads
 * them.
 */
export const lighterZod: Plugin = {
  name: "lighter-zod",
  setup(build) {
    build.onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ resolveDir, kind }) =>
      build.resolve("../locales/en.js", { resolveDir, kind }),
    );
    build.onResolve({ filter: /^\.\/(from-json-schema|compile)\.js$/ }, ({ path, importer }) =>
      /\/node_modules\/zod\/v4\/(core|classic)\//.test(importer) ? { path, namespace: "unused" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({ contents: UNUSED[path] ?? "" }));
  },
};
