import { describe, test } from "vitest";
import type { Fault } from "#platforms/contract.ts";
import { toFault, toMediaFault } from "#platforms/mastodon/errors.ts";
import type { PlatformResponse } from "#platforms/response.ts";
import { NOW } from "../../support/adapter-inputs.ts";

const response = (status: number, error?: string, headers: Record<string, string> = {}): PlatformResponse => ({
  status,
  headers: new Headers(headers),
  json: error === undefined ? undefined : { error },
});

type Row = readonly [status: number, error: string | undefined, expected: Partial<Fault>];

describe("a response becomes a fault", () => {
  test.for<Row>([
    [401, "The access token is invalid", { kind: "reconnect", code: "auth_expired", whoMustAct: "user" }],
    [401, "The access token was revoked", { kind: "reconnect", code: "auth_expired" }],
    [401, "Das Zugriffs-Token wurde widerrufen", { kind: "reconnect", code: "auth_expired" }],
    [403, "This action is outside the authorized scopes", { kind: "reconnect", code: "missing_scope" }],
    [403, "Your login is missing a confirmed e-mail address", { kind: "rejected", code: "account_restricted" }],
    [403, "Your login is currently pending approval", { kind: "rejected", code: "account_restricted" }],
    [403, "Your login is currently disabled", { kind: "rejected", code: "account_restricted", whoMustAct: "user" }],
    [403, "Something else", { kind: "rejected", code: "not_permitted" }],
    [403, undefined, { kind: "rate_limited", code: "service_blocked", whoMustAct: "operator" }],
    [404, "Record not found", { kind: "rejected", code: "not_found" }],
    [410, "Gone", { kind: "rejected", code: "server_gone" }],
    [413, undefined, { kind: "rejected", code: "media_too_large" }],
    [422, "This method requires an authenticated user", { kind: "reconnect" }],
    [422, "Validation failed: Text character limit of 500 exceeded", { kind: "rejected", code: "content_refused" }],
    [422, "Gültigkeitsprüfung ist fehlgeschlagen", { kind: "rejected", code: "content_refused" }],
    [400, "status too long", { kind: "rejected", code: "content_refused" }],
    [418, "No User-Agent", { kind: "rejected", code: "rejected", whoMustAct: "operator" }],
    [500, undefined, { kind: "temporary", code: "platform_unavailable" }],
    [503, "Remote data could not be fetched", { kind: "temporary", code: "platform_unavailable" }],
  ])("%i %s", ([status, error, expected], { expect }) => {
    expect(toFault(response(status, error), NOW)).toMatchObject({ ...expected, httpStatus: status });
  });

  test("a limit ends at the instant that the header names", ({ expect }) => {
    const headers = { "x-ratelimit-reset": "2030-01-01T12:05:00.000000Z" };
    expect(toFault(response(429, "Too many requests", headers), NOW)).toMatchObject({
      kind: "rate_limited",
      retryAfterSeconds: 300,
    });
  });

  test("a server's sentence is shown", ({ expect }) => {
    const fault = toFault(response(422, "Validation failed: Text can't be blank"), NOW);
    expect(fault.message).toBe("The server refused the post: Validation failed: Text can't be blank");
  });
});

describe("a response to an upload becomes a fault", () => {
  test.for<Row>([
    [
      422,
      "Validation failed: File content type is invalid, File is invalid",
      { kind: "rejected", code: "media_invalid" },
    ],
    [422, "Error processing thumbnail for uploaded media", { kind: "rejected", code: "media_invalid" }],
    [500, "Error processing thumbnail for uploaded media", { kind: "rejected", code: "media_invalid" }],
    [500, undefined, { kind: "temporary" }],
    [413, undefined, { kind: "rejected", code: "media_too_large" }],
    [504, undefined, { kind: "temporary" }],
    [401, "The access token is invalid", { kind: "reconnect" }],
  ])("%i %s", ([status, error, expected], { expect }) => {
    expect(toMediaFault(response(status, error), NOW)).toMatchObject(expected);
  });
});
