import type { Plugin } from "esbuild";

/** The functions of the library that the service calls. src/platforms/twitter-text.d.ts has their types. */
const FUNCTIONS = ["parseTweet", "extractUrlsWithIndices", "extractCashtags", "hasInvalidCharacters"];

/**
 * The library without the parts that nobody needs: the functions that make HTML, and core-js 2, which replaces
 * functions of the language that every present runtime has. A test compares the results with those of the whole
 * library.
 */
export const lighterTwitterText: Plugin = {
  name: "lighter-twitter-text",
  setup(build) {
    build.onResolve({ filter: /^twitter-text$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: "lighter-twitter-text",
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /^twitter-text$/, namespace: "lighter-twitter-text" }, ({ path, pluginData }) => ({
      contents:
        FUNCTIONS.map((name) => `import ${name} from "${path}/dist/esm/${name}.js";\n`).join("") +
        `export default { ${FUNCTIONS.join(", ")} };`,
      resolveDir: pluginData as string,
    }));
    build.onResolve({ filter: /^core-js\/modules\// }, ({ path }) => ({ path, namespace: "native" }));
    build.onLoad({ filter: /.*/, namespace: "native" }, () => ({ contents: "" }));
  },
};
