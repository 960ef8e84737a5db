import type { Plugin } from "vitest/config";

const DYNAMIC_IMPORT = /\bimport\(("[^"]+")\)/g;

/**
 * Makes the deferred imports of the service static. The test runner asks its own process for each `import()` and shares that
 * answer between requests that arrive together, which the runtime forbids: one of them is never answered. In the bundle a
 * deferred module is evaluated in place, so that nothing is shared.
 */
export function staticImports(directory: string): Plugin {
  return {
    name: "static-imports",
    enforce: "pre",
    transform(code, id) {
      if (!id.startsWith(directory) || !/\.tsx?$/.test(id)) {
        return null;
      }
      const names = new Map<string, string>();
      const replaced = code.replaceAll(DYNAMIC_IMPORT, (_, specifier: string) => {
        const name = names.get(specifier) ?? `deferred_${names.size}`;
        names.set(specifier, name);
        return `Promise.resolve(${name})`;
      });
      const imports = [...names].map(([specifier, name]) => `import * as ${name} from ${specifier};`);
      // On the first line, so that every other keeps its number.
      return names.size === 0 ? null : { code: `${imports.join(" ")} ${replaced}`, map: null };
    },
  };
}
