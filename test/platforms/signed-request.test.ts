import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { signedRequest } from "../support/signed-request.ts";

/* What a stranger may send to the addresses at which a platform tells of removed apps and requests for deletion. */

const SECRET = "the-secret-of-this-app";
const APP = { clientId: "1", clientSecret: SECRET, settings: {} };
const CONTENT = { algorithm: "HMAC-SHA256", user_id: "218471", issued_at: 1_780_000_000 };

const readers = PLATFORMS.flatMap((platform) => {
  const read = adapterFor(platform)?.connect.readSignedRequest;
  return read ? [{ platform, read }] : [];
});

const swap = (text: string, index: number) =>
  text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1);

const HOSTILE: readonly (readonly [name: string, build: () => Promise<string> | string])[] = [
  ["nothing", () => ""],
  ["a dot", () => "."],
  ["two dots", () => ".."],
  ["no dot", async () => (await signedRequest(CONTENT, SECRET)).replace(".", "")],
  ["a third part", async () => `${await signedRequest(CONTENT, SECRET)}.AA`],
  ["no signature", async () => `.${(await signedRequest(CONTENT, SECRET)).split(".")[1]}`],
  ["no content", async () => `${(await signedRequest(CONTENT, SECRET)).split(".")[0]}.`],
  ["another app's secret", () => signedRequest(CONTENT, "the-secret-of-that-app")],
  ["an empty secret", () => signedRequest(CONTENT, " ")],
  ["the secret in capitals", () => signedRequest(CONTENT, SECRET.toUpperCase())],
  ["a changed signature", async () => swap(await signedRequest(CONTENT, SECRET), 0)],
  ["a changed content", async () => swap(await signedRequest(CONTENT, SECRET), 60)],
  ["a shortened signature", async () => (await signedRequest(CONTENT, SECRET)).slice(4)],
  ["the signature of SHA-1", () => signedRequest({ ...CONTENT, algorithm: "HMAC-SHA1" }, SECRET, "SHA-1")],
  ["the signature of SHA-512", () => signedRequest(CONTENT, SECRET, "SHA-512")],
  ["the algorithm none", () => signedRequest({ ...CONTENT, algorithm: "none" }, SECRET)],
  ["the algorithm in lower case", () => signedRequest({ ...CONTENT, algorithm: "hmac-sha256" }, SECRET)],
  ["no algorithm", () => signedRequest({ user_id: "218471", issued_at: 1_780_000_000 }, SECRET)],
  ["no person", () => signedRequest({ algorithm: "HMAC-SHA256", issued_at: 1_780_000_000 }, SECRET)],
  ["an empty person", () => signedRequest({ ...CONTENT, user_id: "" }, SECRET)],
  ["a person as a list", () => signedRequest({ ...CONTENT, user_id: ["218471"] }, SECRET)],
  ["a person as a fraction", () => signedRequest({ ...CONTENT, user_id: 1.5 }, SECRET)],
  [
    "a person beyond exact numbers",
    () => signedRequest(JSON.stringify(CONTENT).replace('"218471"', "17841400000000000001"), SECRET),
  ],
  ["a person of 65 characters", () => signedRequest({ ...CONTENT, user_id: "9".repeat(65) }, SECRET)],
  ["no time", () => signedRequest({ algorithm: "HMAC-SHA256", user_id: "218471" }, SECRET)],
  ["a time as text", () => signedRequest({ ...CONTENT, issued_at: "1780000000" }, SECRET)],
  ["a negative time", () => signedRequest({ ...CONTENT, issued_at: -1 }, SECRET)],
  ["content that is no JSON", () => signedRequest("user_id=218471", SECRET)],
  ["content that is a list", () => signedRequest([CONTENT], SECRET)],
  ["content that is null", () => signedRequest("null", SECRET)],
  ["characters outside base64url", async () => `${await signedRequest(CONTENT, SECRET)}%%%`],
  ["more than ten kilobytes", () => signedRequest({ ...CONTENT, padding: "x".repeat(10_240) }, SECRET)],
];

describe.each(readers)("$platform", ({ read }) => {
  test("reads what the platform signed with the secret of the app", async ({ expect }) => {
    const expected = { externalId: "218471", issuedAt: 1_780_000_000_000 };
    expect(await read(APP, await signedRequest(CONTENT, SECRET))).toEqual(expected);
    expect(await read(APP, await signedRequest({ ...CONTENT, user_id: 218_471, expires: 0 }, SECRET))).toEqual(
      expected,
    );
  });

  test.for(HOSTILE)("refuses %s", async ([, build], { expect }) => {
    expect(await read(APP, await build())).toBeNull();
  });

  test("reads what is signed with the app's next secret, and with no third one", async ({ expect }) => {
    const app = { ...APP, nextClientSecret: "the-secret-to-come" };
    for (const secret of [SECRET, "the-secret-to-come"]) {
      expect(await read(app, await signedRequest(CONTENT, secret))).toMatchObject({ externalId: "218471" });
    }
    expect(await read(app, await signedRequest(CONTENT, "another"))).toBeNull();
  });

  test("refuses everything while the app has no secret", async ({ expect }) => {
    expect(await read({ ...APP, clientSecret: "" }, await signedRequest(CONTENT, " "))).toBeNull();
  });
});

test("three platforms make such calls", ({ expect }) => {
  expect(readers.length).toBe(3);
});
