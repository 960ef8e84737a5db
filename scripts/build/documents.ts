import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/** Folders whose documents all have a page, and single documents. */
export const DOCUMENT_FOLDERS = ["docs/guide", "docs/platforms"];
export const DOCUMENT_FILES = ["docs/sandbox-operations.md", "CHANGELOG.md"];

/** The documents of the repository that have a page, by their paths. */
export function readDocuments(root: string): Readonly<Record<string, string>> {
  const paths = DOCUMENT_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .toSorted()
      .map((name) => `${folder}/${name}`),
  );
  return Object.fromEntries(
    [...paths, ...DOCUMENT_FILES].map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}

/**
 * Puts the documents into src/docs/texts.ts. `define` is not used, because its values are in the module that every
 * isolate starts with.
 */
export const documentTexts = (root: string): Plugin => ({
  name: "document-texts",
  setup(build) {
    build.onLoad({ filter: /\/src\/docs\/texts\.ts$/ }, () => ({
      contents: `export const texts = ${JSON.stringify(readDocuments(root))};`,
    }));
  },
});
