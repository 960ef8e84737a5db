import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { validate } from "@hyperjump/json-schema/openapi-3-1";

/*
 * Three judges that nobody on the project wrote look at the OpenAPI document: `npm run judge -- [file]`. One line each;
 * any finding, down to a hint, fails.
 */

type Json = Parameters<Awaited<ReturnType<typeof validate>>>[0];

/** The tools and their settings stand beside this file; the document is named from where the command was called. */
const HERE = import.meta.dirname;
const META_SCHEMA = "https://spec.openapis.org/oas/3.1/schema-base";

interface Finding {
  readonly judge: string;
  readonly ok: boolean;
  readonly findings: string;
}

function run(judge: string, command: string, args: readonly string[]): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<Finding>();
  const child = spawn(join(HERE, "node_modules", ".bin", command), args, { stdio: ["ignore", "pipe", "pipe"] });
  let findings = "";
  child.stdout.on("data", (chunk: Buffer) => (findings += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (findings += chunk.toString()));
  child.on("error", reject);
  child.on("close", (code) => resolve({ judge, ok: code === 0, findings }));
  return promise;
}

async function metaSchema(file: string): Promise<Finding> {
  const judge = "Hyperjump, OpenAPI 3.1 meta-schema";
  const document = JSON.parse(await readFile(file, "utf8")) as Json;
  const output = await validate(META_SCHEMA, document, "BASIC");
  return { judge, ok: output.valid, findings: output.valid ? "" : JSON.stringify(output.errors, null, 2) };
}

const file = process.argv[2] ?? "openapi.json";
const results = await Promise.all([
  run("Spectral, [spectral:oas, all], down to hints", "spectral", [
    "lint",
    file,
    "--ruleset",
    join(HERE, "spectral.yaml"),
    "--fail-severity=hint",
  ]),
  run("Redocly, recommended-strict and more", "redocly", ["lint", file, "--config", join(HERE, "redocly.yaml")]),
  metaSchema(file),
]);
for (const { judge, ok, findings } of results) {
  console.log(`${ok ? "ok  " : "FAIL"} ${judge}`);
  if (!ok) {
    console.log(findings);
  }
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
