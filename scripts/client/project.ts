import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { CLIENT_FOLDER } from "./paths.ts";

/* An empty project of a stranger, into which the tarball is installed. */

/** The oldest runtime that the package promises. */
const OLDEST_NODE = `node-${process.platform}-${process.arch}@20.20.2`;

const run = promisify(execFile);

export interface Project {
  /** Runs a program in the project. The program is the text of a module. */
  readonly run: (
    runtime: "oldest" | "newest",
    module: string,
    env: Readonly<Record<string, string>>,
  ) => Promise<string>;
  /** The number of bytes of a Worker that uses the package, bundled for no platform at all. */
  readonly bundle: () => Promise<number>;
}

export async function withProject<T>(tarball: string, work: (project: Project) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "almanac-client-project-"));
  try {
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", tarball, OLDEST_NODE], { cwd: folder });
    const oldest = join(folder, "node_modules", OLDEST_NODE.split("@")[0] ?? "", "bin", "node");
    let modules = 0;
    return await work({
      async run(runtime, module, env) {
        modules += 1;
        const file = join(folder, `program-${modules}.${runtime === "newest" ? "ts" : "mjs"}`);
        await writeFile(file, module);
        const program = runtime === "oldest" ? oldest : process.execPath;
        const { stdout } = await run(program, [file], { cwd: folder, env: { ...process.env, ...env } });
        return stdout;
      },
      async bundle() {
        const { outputFiles } = await build({
          stdin: {
            contents: `import { Almanac, verifyWebhook } from "@almanac/client";
export default { fetch: async (request) => new Response(typeof Almanac + typeof verifyWebhook) };`,
            resolveDir: folder,
          },
          bundle: true,
          minify: true,
          format: "esm",
          platform: "neutral",
          write: false,
        });
        return outputFiles[0]?.contents.byteLength ?? 0;
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The examples of the README as modules. Each may use the examples before it, and calls the service at `origin`. */
export async function readExamples(origin: string, postId: string): Promise<readonly string[]> {
  const text = await readFile(join(CLIENT_FOLDER, "README.md"), "utf8");
  const prelude = `import { Almanac } from "@almanac/client";
const almanac = new Almanac({ baseUrl: ${JSON.stringify(`${origin}/v1`)}, token: process.env["ALMANAC_KEY"] });
const id = ${JSON.stringify(postId)};
`;
  return Array.from(text.matchAll(/```ts\n(.*?)```/gs), ([, example = ""]) =>
    (example.includes("import { Almanac }") ? example : prelude + example).replaceAll(
      "https://almanac.example.org",
      origin,
    ),
  );
}
