import { readFile, writeFile } from "node:fs/promises";
import { createApi } from "#api/index.ts";
import type { Env } from "#config.ts";

/*
 * Writes the OpenAPI document to a file: `npm run openapi -- [file]`. The address in it is that of `ORIGIN`, or else the one
 * that wrangler.toml deploys to.
 */

async function deployedOrigin(): Promise<string> {
  const wrangler = await readFile("wrangler.toml", "utf8");
  const origin = /^ORIGIN = "(.+)"$/m.exec(wrangler)?.[1];
  if (origin === undefined) {
    throw new Error("wrangler.toml names no ORIGIN");
  }
  return origin;
}

const origin = process.env["ORIGIN"] ?? (await deployedOrigin());
const file = process.argv[2] ?? "openapi.json";

// The document needs no binding: only the addresses are read from the environment.
const env = { ORIGIN: origin } as Partial<Env> as Env;
const nowhere = () => {
  throw new Error("the document asks nobody");
};
const api = createApi(() => ({
  platformFetch: nowhere,
  publicFetch: nowhere,
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
}));
const answer = await api.request(`${origin}/v1/openapi.json`, {}, env, {
  waitUntil: nowhere,
  passThroughOnException: nowhere,
  props: {},
});
if (!answer.ok) {
  throw new Error(`the document answered ${answer.status}: ${await answer.text()}`);
}
const document = JSON.stringify(await answer.json(), null, 2);
await writeFile(file, `${document}\n`);
console.log(`${file}: ${document.length} characters, for ${origin}`);
