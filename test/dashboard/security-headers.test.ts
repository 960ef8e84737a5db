import { exports } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, test } from "vitest";
import type { PageEnv } from "#dashboard/request/env.ts";
import { allowPaymentRedirect, relaxFormActionCsp, securityHeaders } from "#dashboard/request/security-headers.ts";
import { ORIGIN } from "../support/origin.ts";

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; media-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": `${CSP}; form-action 'self'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** A page of a service at `origin`; `prepare` is what its handler does before it answers. */
async function headersOf(origin: string, prepare: (c: Parameters<typeof relaxFormActionCsp>[0]) => void = () => {}) {
  const app = new Hono<PageEnv>();
  app.use(async (c, next) => {
    c.set("services", { config: { origin } } as PageEnv["Variables"]["services"]);
    await next();
  });
  app.use(securityHeaders);
  app.get("/", (c) => {
    prepare(c);
    return c.body(null, 204);
  });
  const response = await app.request("/");
  return Object.fromEntries(response.headers);
}

describe("a page has exactly these headers", () => {
  test("where the service runs without TLS", async ({ expect }) => {
    expect(await headersOf("http://localhost:8787")).toEqual(PAGE_HEADERS);
  });

  test("and with TLS, the one that forbids plain HTTP", async ({ expect }) => {
    expect(await headersOf("https://almanac.example.org")).toEqual({
      ...PAGE_HEADERS,
      "strict-transport-security": "max-age=31536000; includeSubDomains",
    });
  });

  test("for a login that ends at an app's redirect URI", async ({ expect }) => {
    expect(await headersOf("http://localhost:8787", relaxFormActionCsp)).toEqual({
      ...PAGE_HEADERS,
      "content-security-policy": CSP,
      "cross-origin-opener-policy": "unsafe-none",
    });
  });

  test("for the page that redirects to the payment provider", async ({ expect }) => {
    expect(await headersOf("http://localhost:8787", allowPaymentRedirect)).toEqual({
      ...PAGE_HEADERS,
      "content-security-policy": `${CSP}; form-action 'self' https://checkout.stripe.com https://billing.stripe.com`,
    });
  });

  test.for(["/password/forgot", "/nowhere", "/dashboard"])("at %s", async (path, { expect }) => {
    const response = await exports.default.fetch(`${ORIGIN}${path}`, { redirect: "manual" });
    expect(Object.fromEntries(response.headers)).toMatchObject(PAGE_HEADERS);
  });
});
