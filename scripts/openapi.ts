import { writeFile } from "node:fs/promises";
import { createApi } from "#api/index.ts";
import type { Env } from "#config.ts";

/*
 * Writes the OpenAPI document to a file: `npm run openapi -- [file]`. Its server URL comes from the environment variable
 * `ORIGIN`; without it, it is an example.
 */

const origin = process.env["ORIGIN"] ?? "https://almanac.example.org";
const file = process.argv[2] ?? "openapi.json";

// The document needs no binding, only the URLs in the environment.
const env = { ORIGIN: origin } as Partial<Env> as Env;
const unexpectedCall = () => {
  throw new Error("generating the document must not send requests");
};
const api = createApi(() => ({
  platformFetch: unexpectedCall,
  publicFetch: unexpectedCall,
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
}));
const response = await api.request(`${origin}/v1/openapi.json`, {}, env, {
  waitUntil: unexpectedCall,
  passThroughOnException: unexpectedCall,
  props: {},
});
if (!response.ok) {
  throw new Error(`the request for the document returned ${response.status}: ${await response.text()}`);
}
const document = JSON.stringify(await response.json(), null, 2);
await writeFile(file, `${document}\n`);
console.log(`${file}: ${document.length} characters, for ${origin}`);
