import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { containerFailure, isUncertainCommit, toFault } from "#platforms/instagram/errors.ts";

const response = (
  code: number,
  subcode?: number,
  status = 400,
  message = "m",
  headers: Record<string, string> = {},
) => ({
  status,
  headers: new Headers(headers),
  json: {
    error: { message, type: "OAuthException", code, error_subcode: subcode, is_transient: false, fbtrace_id: "A" },
  },
});

describe("the fault of every error code in Instagram's table", () => {
  test.for<[number, number | undefined, number, Partial<Fault>]>([
    [-2, 2207003, 400, { kind: "temporary", category: "media", platformCode: "-2/2207003" }],
    [-2, 2207020, 400, { kind: "temporary", code: "container_expired" }],
    [-1, 2207001, 500, { kind: "temporary" }],
    [-1, 2207032, 400, { kind: "temporary" }],
    [-1, 2207053, 400, { kind: "temporary" }],
    [1, 2207057, 400, { kind: "rejected", category: "content" }],
    [4, 2207051, 403, { kind: "rate_limited", code: "activity_restricted" }],
    [9, 2207042, 400, { kind: "rate_limited", code: "daily_cap_reached", category: "quota", retryAfterSeconds: 3600 }],
    [24, 2207006, 400, { kind: "temporary", code: "container_expired" }],
    [24, 2207008, 400, { kind: "temporary", code: "container_expired" }],
    [25, 2207050, 400, { kind: "rejected", code: "account_restricted", category: "permission", whoMustAct: "user" }],
    [100, 2207023, 400, { kind: "rejected" }],
    [100, 2207028, 400, { kind: "rejected" }],
    [100, 2207040, 400, { kind: "rejected", code: "too_many_mentions" }],
    [352, 2207026, 400, { kind: "rejected", code: "media_invalid", category: "media" }],
    [9004, 2207052, 400, { kind: "temporary", code: "media_unreachable" }],
    [9007, 2207027, 400, { kind: "rate_limited", code: "media_processing", retryAfterSeconds: 10 }],
    [36000, 2207004, 400, { kind: "rejected", code: "media_too_large" }],
    [36001, 2207005, 400, { kind: "rejected", code: "media_invalid" }],
    [36003, 2207009, 400, { kind: "rejected", code: "media_invalid" }],
    [36004, 2207010, 400, { kind: "rejected", code: "caption_too_long" }],
    [1, 2207076, 400, { kind: "temporary", category: "media" }],
    [1, 2207077, 400, { kind: "temporary", category: "media" }],
    [1, 2207082, 400, { kind: "temporary", category: "media" }],
    [100, 2207081, 400, { kind: "rejected", code: "account_not_eligible" }],
    [190, 463, 401, { kind: "reconnect", code: "auth_expired", category: "auth", platformCode: "190/463" }],
    [102, undefined, 400, { kind: "reconnect" }],
    [10, undefined, 403, { kind: "reconnect", code: "missing_scope", category: "permission" }],
    [200, undefined, 403, { kind: "reconnect", code: "missing_scope" }],
    [3, undefined, 400, { kind: "rejected", whoMustAct: "operator" }],
    [4, undefined, 403, { kind: "rate_limited" }],
    [17, undefined, 400, { kind: "rate_limited" }],
    [613, undefined, 400, { kind: "rate_limited" }],
    [80002, undefined, 400, { kind: "rate_limited" }],
    [341, undefined, 400, { kind: "rate_limited" }],
    [368, undefined, 400, { kind: "rate_limited", code: "activity_restricted" }],
    [1, undefined, 500, { kind: "temporary" }],
    [2, undefined, 500, { kind: "temporary" }],
    [100, undefined, 400, { kind: "rejected", category: "content" }],
    [100, 33, 400, { kind: "temporary" }],
  ])("%i/%s with %i", ([code, subcode, status, fault], { expect }) => {
    expect(toFault(response(code, subcode, status))).toMatchObject(fault);
  });

  test("the wait in minutes is read from the usage header", ({ expect }) => {
    const usage = JSON.stringify({ "1": [{ type: "instagram", call_count: 100, estimated_time_to_regain_access: 7 }] });
    expect(toFault(response(80002, undefined, 400, "m", { "x-business-use-case-usage": usage }))).toMatchObject({
      retryAfterSeconds: 420,
    });
    expect(toFault(response(4, undefined, 400, "m", { "x-business-use-case-usage": "{junk" }))).toMatchObject({
      kind: "rate_limited",
    });
  });
});

describe("after the publishing call", () => {
  test.for<[number, number | undefined, number, boolean]>([
    [-1, 2207001, 400, true],
    [1, undefined, 500, true],
    [2, undefined, 500, true],
    [4, 2207051, 403, true],
    [24, 2207006, 400, true],
    [24, 2207008, 400, true],
    [100, 33, 400, true],
    [9, 2207042, 400, false],
    [9007, 2207027, 400, false],
    [25, 2207050, 400, false],
    [190, 463, 401, false],
    [100, 2207028, 400, false],
  ])("%i/%s with %i is uncertain: %s", ([code, subcode, status, isUncertain], { expect }) => {
    expect(isUncertainCommit(response(code, subcode, status))).toBe(isUncertain);
  });
});

test("the status text of a failed container decides whether a new one is created", ({ expect }) => {
  expect(containerFailure("Error: Media upload has failed with error code 2207026")).toMatchObject({
    canRebuild: false,
    fault: { code: "media_invalid", platformCode: "2207026" },
  });
  expect(containerFailure("Error: Media upload has failed with error code 2207053")).toMatchObject({
    canRebuild: true,
  });
  expect(containerFailure("Error: something new")).toMatchObject({ canRebuild: true, fault: { platformCode: null } });
});
