import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { validate } from "@hyperjump/json-schema/openapi-3-1";

/*
 * Checks the OpenAPI document with three third-party tools: `npm run judge -- [file]`. Prints one line for each; any finding,
 * even a hint, fails.
 */

type Json = Parameters<Awaited<ReturnType<typeof validate>>>[0];

/** The tools and their settings are in this directory; the path of the document is relative to the working directory. */
const HERE = import.meta.dirname;
const META_SCHEMA = "https://spec.openapis.org/oas/3.1/schema-base";

interface LintResult {
  readonly linter: string;
  readonly ok: boolean;
  readonly findings: string;
}

function runLinter(linter: string, command: string, args: readonly string[]): Promise<LintResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LintResult>();
  const child = spawn(join(HERE, "node_modules", ".bin", command), args, { stdio: ["ignore", "pipe", "pipe"] });
  let findings = "";
  child.stdout.on("data", (chunk: Buffer) => (findings += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (findings += chunk.toString()));
  child.on("error", reject);
  child.on("close", (code) => resolve({ linter, ok: code === 0, findings }));
  return promise;
}

async function checkMetaSchema(file: string): Promise<LintResult> {
  const linter = "Hyperjump, OpenAPI 3.1 meta-schema";
  const document = JSON.parse(await readFile(file, "utf8")) as Json;
  const output = await validate(META_SCHEMA, document, "BASIC");
  return { linter, ok: output.valid, findings: output.valid ? "" : JSON.stringify(output.errors, null, 2) };
}

const file = process.argv[2] ?? "openapi.json";
const results = await Promise.all([
  runLinter("Spectral, [spectral:oas, all], down to hints", "spectral", [
    "lint",
    file,
    "--ruleset",
    join(HERE, "spectral.yaml"),
    "--fail-severity=hint",
  ]),
  runLinter("Redocly, recommended-strict and more", "redocly", ["lint", file, "--config", join(HERE, "redocly.yaml")]),
  checkMetaSchema(file),
]);
for (const { linter, ok, findings } of results) {
  console.log(`${ok ? "ok  " : "FAIL"} ${linter}`);
  if (!ok) {
    console.log(findings);
  }
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
