import { beforeEach, describe, expect, test } from "vitest";
import { HOUR } from "#core/clock.ts";
import { VERSION } from "#core/version.ts";
import { makeFeed } from "#feeds/index.ts";
import { createOwner } from "../../notices/test-context.ts";
import { createAccount, createTestContext, freezeClock, NOON, schedulePost } from "../../posts/test-context.ts";
import { sendUntilLimited } from "../../support/send-until-limited.ts";
import { callFileRoutes } from "./call-file-routes.ts";

beforeEach(() => freezeClock());

async function createFeed(): Promise<string> {
  const ctx = createTestContext();
  await createOwner(ctx);
  await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
  return (await makeFeed(ctx)).url;
}

describe("200", () => {
  test("a calendar that only its reader may keep, without cookies", async () => {
    const response = await callFileRoutes(await createFeed());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "private, max-age=300",
      "content-type": "text/calendar; charset=utf-8",
      etag: `"0-${NOON / HOUR}-${VERSION}"`,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String),
      "x-robots-tag": "noindex",
    });
    expect(response.headers.has("set-cookie")).toBe(false);
    expect(await response.text()).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[^]*END:VCALENDAR\r\n$/);
  });

  test("HEAD has the same headers and no body", async () => {
    const url = await createFeed();
    const [get, head] = [await callFileRoutes(url), await callFileRoutes(url, { method: "HEAD" })];
    const headersOf = ({ headers }: Response) => ({ ...Object.fromEntries(headers), "x-request-id": null });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(headersOf(head)).toEqual(headersOf(get));
  });
});

describe("304", () => {
  test("for the tag of the calendar as it is", async () => {
    const url = await createFeed();
    const etag = (await callFileRoutes(url)).headers.get("etag") ?? "";
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await callFileRoutes(url, { headers: { "if-none-match": tags } });
      expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([304, etag, ""]);
    }
    expect((await callFileRoutes(url, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });
});

describe("404", () => {
  test.each(["x".repeat(22), "short", "..%2f..%2fsecret", "x".repeat(23)])(
    "for the unknown secret %s",
    async (secret) => {
      const response = await callFileRoutes(`/calendar/${secret}.ics`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "not_found" });
    },
  );
});

describe("405", () => {
  test("for anything but reading", async () => {
    const response = await callFileRoutes(await createFeed(), { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("429", () => {
  test("for a calendar that is read more often than any program reads it, from any address", async () => {
    const [url, other] = [await createFeed(), await createFeed()];
    const answers = await sendUntilLimited(60, (count) =>
      callFileRoutes(url, { headers: { "cf-connecting-ip": `198.51.100.${count}` } }),
    );
    expect(answers[0].status).toBe(200);
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("60");
    expect((await callFileRoutes(other)).status).toBe(200);
  });

  test("for an address that tries many secrets, while a known one is still served", async () => {
    const url = await createFeed();
    const headers = { "cf-connecting-ip": "198.51.100.77" };
    const answers = await sendUntilLimited(60, (count) =>
      callFileRoutes(`/calendar/${String(count).padStart(22, "x")}.ics`, { headers }),
    );
    expect(answers[0].status).toBe(404);
    expect(answers.at(-1)?.status).toBe(429);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("60");
    expect((await callFileRoutes(url, { headers })).status).toBe(200);
  });
});
