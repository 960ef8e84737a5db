import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "esbuild";

/** `import { … } from "…"` and `export { … } from "…"` as the formatter writes them, with what a file exports from others. */
const STATEMENT = /^(?<verb>import|export) \{(?<names>[^}]*)\} from "(?<from>[#.][^"]+)";/gm;
const NAME = /^(?<name>\w+)(?: as (?<alias>\w+))?$/;

/** Where an export of an index file comes from. */
interface Origin {
  readonly file: string;
  readonly name: string;
}

function* namesOf(list: string): Generator<{ readonly name: string; readonly alias: string }> {
  for (const part of list.split(",")) {
    // Types are in no module that is built.
    const { name, alias } = NAME.exec(part.trim())?.groups ?? {};
    if (name !== undefined) {
      yield { name, alias: alias ?? name };
    }
  }
}

/**
 * Whoever imports from the index file of a module gets what it names from the file that has it. A module that is built is loaded whole:
 * an index file would bring everything that it exports to the start of an isolate, also what is used by a later `import()` alone.
 */
export function directImports(root: string): Plugin {
  const source = join(root, "src");
  const pathOf = (from: string, importer: string): string =>
    from.startsWith("#") ? join(source, from.slice(1)) : join(dirname(importer), from);
  const indexes = new Map<string, ReadonlyMap<string, Origin>>();
  function originsOf(index: string): ReadonlyMap<string, Origin> {
    let origins = indexes.get(index);
    if (origins === undefined) {
      const found = new Map<string, Origin>();
      for (const { groups } of readFileSync(index, "utf8").matchAll(STATEMENT)) {
        if (groups?.["verb"] === "export") {
          const file = pathOf(groups["from"] ?? "", index);
          for (const { name, alias } of namesOf(groups["names"] ?? "")) {
            found.set(alias, originOf(file, name) ?? { file, name });
          }
        }
      }
      origins = found;
      indexes.set(index, origins);
    }
    return origins;
  }
  const originOf = (file: string, name: string): Origin | undefined =>
    file.endsWith("/index.ts") ? originsOf(file).get(name) : undefined;

  function rewrite(text: string, path: string): string {
    return text.replace(STATEMENT, (statement, verb: string, list: string, from: string) => {
      const index = pathOf(from, path);
      if (!index.endsWith("/index.ts")) {
        return statement;
      }
      const lines = [...namesOf(list)].map(({ name, alias }) => {
        const origin = originOf(index, name) ?? { file: index, name };
        const specifier = `./${relative(dirname(path), origin.file)}`;
        return `${verb} { ${origin.name} as ${alias} } from ${JSON.stringify(specifier)};`;
      });
      // In one line and with the line breaks of before, so that source maps tell the right line.
      return lines.join(" ") + "\n".repeat(statement.split("\n").length - 1);
    });
  }

  return {
    name: "direct-imports",
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, ({ path }) =>
        path.startsWith(`${source}/`)
          ? { contents: rewrite(readFileSync(path, "utf8"), path), loader: path.endsWith("x") ? "tsx" : "ts" }
          : undefined,
      );
    },
  };
}
