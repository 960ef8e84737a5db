import { describe, test } from "vitest";
import { checkUrl } from "#core/public-address/check-url.ts";
import { NON_PUBLIC_NAMES } from "#core/public-address/non-public-names.ts";
import { importMedia } from "#media/index.ts";
import { createTestContext, FakeInternet, refusalOf } from "./test-context.ts";
import { sample } from "./samples.ts";

/** URLs that must never be fetched, by kind. */
const HOSTILE: Record<string, readonly string[]> = {
  "other schemes": [
    "http://files.example.net/a.jpg",
    "ftp://files.example.net/a.jpg",
    "file:///etc/passwd",
    "data:image/png;base64,iVBORw0KGgo=",
    "javascript:alert(1)",
    "blob:https://files.example.net/1",
    "gopher://127.0.0.1:70/_x",
    "ws://files.example.net/",
    "//127.0.0.1/a.jpg",
    "files.example.net/a.jpg",
    "",
  ],
  "ports and credentials": [
    "https://files.example.net:8443/a.jpg",
    "https://files.example.net:80/a.jpg",
    "https://files.example.net:22/a.jpg",
    "https://user:pass@files.example.net/a.jpg",
    "https://user@files.example.net/a.jpg",
    "https://files.example.net@127.0.0.1/a.jpg",
    "https://127.0.0.1:443@127.0.0.1/a.jpg",
  ],
  "loopback and unspecified": [
    "https://127.0.0.1/a.jpg",
    "https://127.0.0.1./a.jpg",
    "https://127.1/a.jpg",
    "https://127.0.1/a.jpg",
    "https://127.255.255.254/a.jpg",
    "https://2130706433/a.jpg",
    "https://0x7f000001/a.jpg",
    "https://0x7f.0.0.1/a.jpg",
    "https://0x7F.1/a.jpg",
    "https://017700000001/a.jpg",
    "https://0177.0.0.1/a.jpg",
    "https://0177.0.0.01/a.jpg",
    "https://127.0x0.00.1/a.jpg",
    "https://%31%32%37.0.0.1/a.jpg",
    "https://１２７.0.0.1/a.jpg",
    "https://127。0。0。1/a.jpg",
    "https://①②⑦.0.0.1/a.jpg",
    "https://0.0.0.0/a.jpg",
    "https://0/a.jpg",
    "https://0.1.2.3/a.jpg",
    "https://[::1]/a.jpg",
    "https://[::]/a.jpg",
    "https://[0:0:0:0:0:0:0:1]/a.jpg",
    "https://[0000:0000:0000:0000:0000:0000:0000:0001]/a.jpg",
  ],
  "private, shared and link-local": [
    "https://10.0.0.1/a.jpg",
    "https://10.255.255.255/a.jpg",
    "https://012.0.0.1/a.jpg",
    "https://167772161/a.jpg",
    "https://172.16.0.1/a.jpg",
    "https://172.31.255.255/a.jpg",
    "https://192.168.0.1/a.jpg",
    "https://192.168.257/a.jpg",
    "https://0xc0a80001/a.jpg",
    "https://100.64.0.1/a.jpg",
    "https://100.127.255.255/a.jpg",
    "https://169.254.0.1/a.jpg",
    "https://[fc00::1]/a.jpg",
    "https://[fd12:3456:789a::1]/a.jpg",
    "https://[fe80::1]/a.jpg",
    "https://[febf::1]/a.jpg",
    "https://[fec0::1]/a.jpg",
    "https://[fe80::1%25eth0]/a.jpg",
    "https://[fe80::1%eth0]/a.jpg",
  ],
  "cloud metadata": [
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/latest/meta-data/",
    "https://0251.0376.0251.0376/latest/meta-data/",
    "https://169.254.43518/latest/meta-data/",
    "https://[::ffff:169.254.169.254]/latest/meta-data/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://metadata.goog/computeMetadata/v1/",
    "https://metadata/computeMetadata/v1/",
    "https://instance-data/latest/",
    "https://100.100.100.200/latest/meta-data/",
    "https://192.0.0.192/opc/v2/",
    "https://168.63.129.16/machine",
  ],
  "multicast, reserved, documentation": [
    "https://224.0.0.1/a.jpg",
    "https://239.255.255.255/a.jpg",
    "https://240.0.0.1/a.jpg",
    "https://255.255.255.255/a.jpg",
    "https://4294967295/a.jpg",
    "https://192.0.2.1/a.jpg",
    "https://198.51.100.7/a.jpg",
    "https://203.0.113.9/a.jpg",
    "https://198.18.0.1/a.jpg",
    "https://192.88.99.1/a.jpg",
    "https://[ff02::1]/a.jpg",
    "https://[2001:db8::1]/a.jpg",
    "https://[3fff::1]/a.jpg",
    "https://[100::1]/a.jpg",
    "https://[5f00::1]/a.jpg",
  ],
  "IPv4 within IPv6": [
    "https://[::ffff:127.0.0.1]/a.jpg",
    "https://[::ffff:7f00:1]/a.jpg",
    "https://[0:0:0:0:0:ffff:7f00:0001]/a.jpg",
    "https://[::127.0.0.1]/a.jpg",
    "https://[::ffff:0:127.0.0.1]/a.jpg",
    "https://[64:ff9b::127.0.0.1]/a.jpg",
    "https://[64:ff9b::7f00:1]/a.jpg",
    "https://[64:ff9b:1::a00:1]/a.jpg",
    "https://[2002:7f00:1::]/a.jpg",
    "https://[2002:a9fe:a9fe::1]/a.jpg",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/a.jpg",
    "https://[2a00:1450::5efe:10.0.0.1]/a.jpg",
    "https://[2a00:1450::200:5efe:a9fe:a9fe]/a.jpg",
  ],
  "host names of this machine and of private networks": [
    "https://localhost/a.jpg",
    "https://LOCALHOST/a.jpg",
    "https://localhost./a.jpg",
    "https://localhost../a.jpg",
    "https://files.localhost/a.jpg",
    "https://files.localhost./a.jpg",
    "https://localhost.localdomain/a.jpg",
    "https://ｌｏｃａｌｈｏｓｔ/a.jpg",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/a.jpg",
    "https://loc%61lhost/a.jpg",
    "https://xn--localhost-l2k/a.jpg",
    "https://lосаlhost/a.jpg",
    "https://printer.local/a.jpg",
    "https://db.internal/a.jpg",
    "https://wiki.corp/a.jpg",
    "https://nas.lan/a.jpg",
    "https://router.home.arpa/a.jpg",
    "https://intranet/a.jpg",
    "https://hidden.onion/a.jpg",
    "https://127.0.0.1.nip.io/a.jpg",
    "https://10-0-0-1.sslip.io/a.jpg",
    "https://localtest.me/a.jpg",
    "https://anything.lvh.me/a.jpg",
    "https://home.arpa/a.jpg",
    "https://api.default.svc/a.jpg",
    "https://api.default.svc.cluster.local/a.jpg",
    "https://vault.service.consul/a.jpg",
    "https://consul/a.jpg",
    "https://app.invalid/a.jpg",
    "https://app.test/a.jpg",
    "https://name.alt/a.jpg",
    "https://ipv4only.arpa/a.jpg",
    "https://1.0.0.127.in-addr.arpa/a.jpg",
    "https://10.0.0.1.xip.io/a.jpg",
  ],
  "spellings that confuse parsers": [
    "https:\\\\127.0.0.1\\a.jpg",
    "https://files.example.net\\@127.0.0.1/a.jpg",
    "https://127.0.0.1\t/a.jpg",
    "ht\ntps://127.0.0.1/a.jpg",
    " https://127.0.0.1/a.jpg",
    "https:127.0.0.1/a.jpg",
    "https:///127.0.0.1/a.jpg",
    "https://127.0.0.1#@files.example.net/a.jpg",
    "https://127.0.0.1?@files.example.net/a.jpg",
    "https://files.example.net\u0000.evil/a.jpg",
    "https://256.256.256.256/a.jpg",
    "https://1.2.3.4.5/a.jpg",
    "https://[::1/a.jpg",
    "https://[1:2]/a.jpg",
    "https://",
    `https://files.example.net/${"a".repeat(3000)}`,
  ],
};

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

const ALL_HOSTILE = Object.values(HOSTILE).flat();

test("the list of hostile URLs is complete enough", ({ expect }) => {
  expect(ALL_HOSTILE.length).toBeGreaterThanOrEqual(80);
});

describe.each(Object.entries(HOSTILE))("%s", (_kind, addresses) => {
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
  for (let start = 0; start < ALL_HOSTILE.length; start += 10) {
    const refusal = await refusalOf(importMedia(ctx, { urls: ALL_HOSTILE.slice(start, start + 10) }));
    expect(refusal.code).toBe("validation_failed");
    expect(refusal.details).toHaveLength(new Set(ALL_HOSTILE.slice(start, start + 10)).size);
  }
  expect(internet.requests).toEqual([]);

  const redirectUrl = "https://files.example.net/redirect";
  for (const address of ALL_HOSTILE) {
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
