import { type Loader, transform } from "esbuild";

const LOADERS: Readonly<Record<string, Loader>> = { css: "css", js: "js" };

/** Minifies a style sheet or script. Null for any other file, which is served unchanged. */
export async function minifyAsset(name: string, read: () => Promise<string>): Promise<string | null> {
  const loader = LOADERS[name.slice(name.lastIndexOf(".") + 1)];
  if (loader === undefined) {
    return null;
  }
  // Pages use what browsers have had for a year (light-dark, nesting), so nothing is rewritten for older ones.
  const { code } = await transform(await read(), { loader, minify: true, format: "esm", target: "esnext" });
  return code;
}
