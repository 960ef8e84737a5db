import { describe, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { isFailing } from "#webhooks/delivery/is-failing.ts";
import { readAnswer } from "#webhooks/delivery/read-answer.ts";

const NOW = Date.UTC(2030, 0, 1, 12);
const read = (status: number, retryAfter: string | null = null) => readAnswer({ status, retryAfter }, NOW);
const failed = (retryAfterMs: number | null = null) => ({ kind: "failed", retryAfterMs });

describe("an answer", () => {
  test("of 200 to 299 is a delivery", ({ expect }) => {
    expect([200, 201, 204, 299].map((status) => read(status).kind)).toEqual(
      Array.from({ length: 4 }, () => "delivered"),
    );
  });

  test("of 410 means never again; any other, and none, is a failure", ({ expect }) => {
    expect(read(410)).toEqual({ kind: "gone" });
    expect([199, 300, 302, 304, 400, 408, 409, 411, 500, 599].map((status) => read(status))).toEqual(
      Array.from({ length: 10 }, () => failed()),
    );
    expect(readAnswer(null, NOW)).toEqual(failed());
  });
});

describe("Retry-After", () => {
  test.for<[string, number | null]>([
    ["120", 2 * MINUTE],
    [" 0 ", 0],
    ["86400", DAY],
    ["86401", DAY],
    ["999999999", DAY],
    ["Tue, 01 Jan 2030 13:00:00 GMT", HOUR],
    ["Tuesday, 01-Jan-30 12:00:30 GMT", 30 * SECOND],
    ["Tue, 01 Jan 2030 11:00:00 GMT", 0],
    ["Fri, 01 Feb 2030 12:00:00 GMT", DAY],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
    ["2030-01-01T13:00:00Z", null],
    ["Someday, never", null],
    ["", null],
  ])("%o", ([text, expected], { expect }) => {
    expect(read(429, text)).toEqual(failed(expected));
    expect(read(503, text)).toEqual(failed(expected));
  });

  test("counts with 429 and 503 only", ({ expect }) => {
    expect(read(500, "120")).toEqual(failed());
    expect(read(302, "120")).toEqual(failed());
    expect(read(429)).toEqual(failed());
  });
});

describe("a webhook is failing", () => {
  test.for<[number | null, number, boolean]>([
    [NOW - 5 * DAY, 20, true],
    [NOW - 5 * DAY + 1, 20, false],
    [NOW - 5 * DAY, 19, false],
    [null, 20, false],
  ])("since %o with %i events: %o", ([failingSince, failedEvents, expected], { expect }) => {
    expect(isFailing({ failingSince, failedEvents }, NOW)).toBe(expected);
  });
});
