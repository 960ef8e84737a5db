import { describe, test } from "vitest";
import { checkUrl } from "#core/public-address/check-url.ts";
import { NON_PUBLIC_NAMES } from "#core/public-address/non-public-names.ts";
import { importMedia } from "#media/index.ts";
import { ALL_HOSTILE_URLS, HOSTILE_URLS } from "../support/hostile-urls.ts";
import { createTestContext, FakeInternet, refusalOf } from "./test-context.ts";
import { sample } from "./samples.ts";

test("every name that is not public is listed once, in lower case, with the source that says so", ({ expect }) => {
  const names = NON_PUBLIC_NAMES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, source } of NON_PUBLIC_NAMES) {
    expect(name).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/);
    expect(source, name).toMatch(/^(?:RFC \d{4}|https:\/\/)/);
    expect(checkUrl(`https://${name}/`, null).ok, name).toBe(false);
    expect(checkUrl(`https://a.b.${name}/`, null).ok, name).toBe(false);
    // Only whole labels count.
    expect(checkUrl(`https://x${name}.example.net/`, null).ok, name).toBe(true);
  }
});

test("the list of hostile URLs is complete enough", ({ expect }) => {
  expect(ALL_HOSTILE_URLS.length).toBeGreaterThanOrEqual(80);
});

describe.each(Object.entries(HOSTILE_URLS))("%s", (_kind, addresses) => {
  test.for(addresses.map((address) => [address] as const))("%j is refused", ([address], { expect }) => {
    expect(checkUrl(address, null).ok).toBe(false);
  });
});

test.for([
  ["http://files.example.net/a.jpg", "url_not_https"],
  ["https://files.example.net:8443/a.jpg", "url_has_port"],
  ["https://user@files.example.net/a.jpg", "url_has_credentials"],
  [`https://files.example.net/${"a".repeat(3000)}`, "url_too_long"],
  ["https://", "url_invalid"],
  ["https://127.0.0.1/a.jpg", "url_not_public"],
] as const)("%s is refused as %s", ([address, code], { expect }) => {
  expect(checkUrl(address, null)).toMatchObject({ ok: false, problem: { code } });
});

test("no hostile URL is requested, directly or after a redirect", { timeout: 30_000 }, async ({ expect }) => {
  const internet = new FakeInternet();
  const ctx = createTestContext({ internet });
  for (let start = 0; start < ALL_HOSTILE_URLS.length; start += 10) {
    const refusal = await refusalOf(importMedia(ctx, { urls: ALL_HOSTILE_URLS.slice(start, start + 10) }));
    expect(refusal.code).toBe("validation_failed");
    expect(refusal.details).toHaveLength(new Set(ALL_HOSTILE_URLS.slice(start, start + 10)).size);
  }
  expect(internet.requests).toEqual([]);

  const redirectUrl = "https://files.example.net/redirect";
  for (const address of ALL_HOSTILE_URLS) {
    internet.requests.length = 0;
    // A header is a byte string, so a server can only send the encoded form.
    const location = encodeURI(address);
    internet.set(redirectUrl, () => new Response(null, { status: 302, headers: { location } }));
    const refusal = await refusalOf(importMedia(ctx, { urls: [redirectUrl] }));
    expect(refusal.code, address).toBe("validation_failed");
    const otherRequests = internet.requests.filter((url) => new URL(url).hostname !== "files.example.net");
    expect(otherRequests, address).toEqual([]);
  }
});

describe("public URLs pass", () => {
  test.for([
    "https://files.example.net/a.jpg",
    "https://files.example.net:443/a.jpg",
    "https://FILES.example.net/a.jpg?x=1#part",
    "https://bücher.example.net/ä.jpg",
    "https://8.8.8.8/a.jpg",
    "https://11.0.0.1/a.jpg",
    "https://172.32.0.1/a.jpg",
    "https://100.128.0.1/a.jpg",
    "https://[2606:4700::6810:84e5]/a.jpg",
    "https://notlocalhost.com/a.jpg",
    "https://internal.example.com/a.jpg",
    "https://mylocal.example/a.jpg",
  ])("%s", (address, { expect }) => {
    expect(checkUrl(address, null).ok).toBe(true);
  });
});

describe("a trusted origin", () => {
  const trusted = "http://localhost:8787";

  test("is the only exception, compared by scheme, host name and port", ({ expect }) => {
    expect(checkUrl("http://localhost:8787/sandbox/media/portrait.jpg", trusted).ok).toBe(true);
    for (const address of [
      "http://localhost:8788/a.jpg",
      "https://localhost:8787/a.jpg",
      "http://127.0.0.1:8787/a.jpg",
      "http://localhost.:8787/a.jpg",
      "http://user@localhost:8787/a.jpg",
      "http://files.example.net/a.jpg",
    ]) {
      expect(checkUrl(address, trusted).ok, address).toBe(false);
    }
  });

  test("is not trusted in production", ({ expect }) => {
    expect(checkUrl("http://localhost:8787/sandbox/media/portrait.jpg", null).ok).toBe(false);
  });
});

describe("host names are resolved if the operator configured a resolver", () => {
  const resolver = "https://dns.example.net/dns-query";
  const file = "https://files.example.org/a.jpg";

  function contextWithResolver(records: Record<string, readonly string[] | number>) {
    const internet = new FakeInternet();
    for (const type of ["A", "AAAA"]) {
      const data = records[type] ?? [];
      internet.set(`${resolver}?name=files.example.org&type=${type}`, () =>
        typeof data === "number"
          ? new Response("no", { status: data })
          : Response.json({
              Status: 0,
              Answer: [{ type: 5, data: "alias.example.net." }, ...data.map((address) => ({ data: address }))],
            }),
      );
    }
    internet.set(file, sample("photo.jpg"));
    return createTestContext({ internet, settings: { MEDIA_DOH_URL: resolver } });
  }

  test("a host name with public addresses is fetched", async ({ expect }) => {
    const ctx = contextWithResolver({ A: ["93.184.215.14"], AAAA: ["2606:2800:21f:cb07:6820:80da:af6b:8b2c"] });
    expect(await importMedia(ctx, { urls: [file] })).toHaveLength(1);
  });

  test.for<[string, Record<string, readonly string[] | number>, string]>([
    ["a private address", { A: ["10.0.0.1"] }, "url_not_public"],
    ["one private address among public ones", { A: ["93.184.215.14", "169.254.169.254"] }, "url_not_public"],
    ["a private IPv6 address", { A: ["93.184.215.14"], AAAA: ["fd00::1"] }, "url_not_public"],
    ["no address", {}, "name_not_found"],
    ["a failing resolver", { A: 500 }, "source_unreachable"],
  ])("a host name with %s is not fetched", async ([, records, code], { expect }) => {
    const ctx = contextWithResolver(records);
    const refusal = await refusalOf(importMedia(ctx, { urls: [file] }));
    expect(refusal.details).toMatchObject([{ code }]);
    expect(ctx.internet.requests).not.toContain(file);
  });
});
