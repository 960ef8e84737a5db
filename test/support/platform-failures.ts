import { SECRETS } from "./adapter-inputs.ts";
import type { ScriptedResponse } from "./scripted-http-client.ts";

const echoedSecrets = { error: SECRETS[0], detail: SECRETS.join(" "), message: SECRETS.join(" "), title: SECRETS[2] };

/** Failures that every platform can return at any time, without an error body of its own; some repeat what they were sent. */
export const FAILURES: readonly (readonly [name: string, response: ScriptedResponse])[] = [
  ["401", { status: 401, json: echoedSecrets }],
  ["403", { status: 403, json: echoedSecrets }],
  ["429", { status: 429, json: echoedSecrets }],
  ["429 with Retry-After", { status: 429, headers: { "retry-after": "77" }, json: echoedSecrets }],
  ["500", { status: 500, json: echoedSecrets }],
  ["503", 503],
  ["HTML instead of JSON", { status: 200, text: `<html>${SECRETS[0]}</html>` }],
  ["a larger answer than a client reads", { status: 200, text: null }],
  ["null", { status: 200, json: null }],
  ["a JSON list", { status: 200, json: [1, 2] }],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.example.com/" } }],
  ["a lost connection", "connection_lost"],
];

/** Checks every text inside the value. */
export function expectNoSecret(expect: (value: unknown) => { not: { toContain(part: string): void } }, value: unknown) {
  const serialized = JSON.stringify(value) ?? "";
  for (const secret of SECRETS) {
    expect(serialized).not.toContain(secret);
  }
}
