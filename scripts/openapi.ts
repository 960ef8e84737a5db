import { writeFile } from "node:fs/promises";
import { buildDocument } from "#api/document/build.ts";
import { type Env, readConfig } from "#config.ts";

/*
 * Writes the OpenAPI document to a file: `npm run openapi -- [file]`. Its server URL comes from the environment variable
 * `ORIGIN`; without it, it is an example.
 */

const origin = process.env["ORIGIN"] ?? "https://almanac.example.org";
const file = process.argv[2] ?? "openapi.json";

// The document needs no binding, only the URLs in the environment.
const env = { ORIGIN: origin } as Partial<Env> as Env;
const document = JSON.stringify(JSON.parse(buildDocument(readConfig(env))), null, 2);
await writeFile(file, `${document}\n`);
console.log(`${file}: ${document.length} characters, for ${origin}`);
