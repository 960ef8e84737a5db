import { type Loader, transform } from "esbuild";

const LOADERS: Readonly<Record<string, Loader>> = { css: "css", js: "js" };

/** The minified text of a style sheet or script; null for any other file, which is served as it is. */
export async function minifyAsset(name: string, read: () => Promise<string>): Promise<string | null> {
  const loader = LOADERS[name.slice(name.lastIndexOf(".") + 1)];
  if (loader === undefined) {
    return null;
  }
  // The pages use what browsers have had for a year (light-dark, nesting): nothing is rewritten for older ones.
  const { code } = await transform(await read(), { loader, minify: true, format: "esm", target: "esnext" });
  return code;
}
