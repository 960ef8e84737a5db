import { describe, test } from "vitest";
import { userAgent } from "#core/user-agent.ts";
import { openPlatformClient } from "#platforms/client.ts";
import { callPlatform, Id, retryAfterSeconds } from "#platforms/response.ts";
import { sanitizeMessage } from "#platforms/fault.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { mediaProblems } from "#platforms/media-rules.ts";
import {
  basicAuthorization,
  authorizationCode,
  findMissingScopes,
  splitScopes,
  tokenFault,
} from "#platforms/oauth-token.ts";
import { scriptedClient } from "../support/scripted-http-client.ts";
import { video } from "../support/adapter-inputs.ts";

describe("responses", () => {
  test("ids beyond 2^53 stay exact, other numbers stay numbers", async ({ expect }) => {
    const response = await callPlatform(
      scriptedClient({ text: '{"id":17841405793187219,"small":12,"half":0.5,"huge":1e300}' }),
      "https://a.example.com",
    );
    expect(response.json).toEqual({ id: "17841405793187219", small: 12, half: 0.5, huge: 1e300 });
    expect([Id.parse("1"), Id.parse(1)]).toEqual(["1", "1"]);
  });

  test("a body that is not JSON is undefined, and a lost connection throws", async ({ expect }) => {
    expect((await callPlatform(scriptedClient({ text: "<html>" }), "https://a.example.com")).json).toBeUndefined();
    expect((await callPlatform(scriptedClient(204), "https://a.example.com")).json).toBeUndefined();
    await expect(callPlatform(scriptedClient("connection_lost"), "https://a.example.com")).rejects.toThrow();
  });

  test.for<[Record<string, string>, number | undefined]>([
    [{ "retry-after": "77" }, 77],
    [{ "retry-after": "Fri, 01 Jan 2027 00:01:00 GMT", date: "Fri, 01 Jan 2027 00:00:00 GMT" }, 60],
    [{ "retry-after": "Fri, 01 Jan 2027 00:00:00 GMT", date: "Fri, 01 Jan 2027 00:01:00 GMT" }, 0],
    [{ "retry-after": "Fri, 01 Jan 2027 00:01:00 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{}, undefined],
  ])("%j waits %s seconds", ([headers, seconds], { expect }) => {
    expect(retryAfterSeconds(new Headers(headers))).toBe(seconds);
  });
});

describe("a platform's error text", () => {
  test("is shortened to one line without anything that could be a token", ({ expect }) => {
    expect(sanitizeMessage(" Duration\n too\u0000 long ")).toBe("Duration too long");
    expect(sanitizeMessage("bad token EAAGm0PX4ZCpsBAKZCtokenTokenToken123 given")).toBe("bad token … given");
    expect(sanitizeMessage("word ".repeat(500)).length).toBeLessThanOrEqual(301);
  });
});

describe("token calls", () => {
  const response = (status: number, json: unknown) => ({ status, json, headers: new Headers() });

  test("client id and secret are percent-encoded in the Basic header", ({ expect }) => {
    const { authorization } = basicAuthorization({ clientId: "a:b", clientSecret: "c d", settings: {} });
    expect(atob(authorization?.replace("Basic ", "") ?? "")).toBe("a%3Ab:c%20d");
  });

  test("an ended grant is distinguished from temporary errors", ({ expect }) => {
    expect(tokenFault(response(400, { error: "invalid_grant" }))).toMatchObject({
      kind: "reconnect",
      platformCode: "invalid_grant",
    });
    expect(tokenFault(response(400, { error: "invalid_request" }))).toMatchObject({ kind: "temporary" });
    expect(tokenFault(response(400, { error: "invalid_request" }), ["invalid_request"])).toMatchObject({
      kind: "reconnect",
    });
    expect(tokenFault(response(401, { error: "invalid_client" }))).toMatchObject({
      kind: "temporary",
      whoMustAct: "operator",
      code: "app_misconfigured",
    });
    expect(tokenFault(response(500, { error: "invalid_grant" }))).toMatchObject({ kind: "temporary" });
    expect(tokenFault(response(429, null))).toMatchObject({ kind: "rate_limited" });
    expect(tokenFault(response(400, "<html>"))).toMatchObject({ kind: "temporary", platformCode: null });
  });

  test("the fragment that some login dialogs append to the code is removed", ({ expect }) => {
    expect(authorizationCode({ code: "AQB#_" })).toEqual({ ok: true, value: "AQB" });
    expect(authorizationCode({ code: "AQB#_=_" })).toEqual({ ok: true, value: "AQB" });
    expect(authorizationCode({ error: "access_denied" })).toMatchObject({ fault: { code: "login_cancelled" } });
    expect(authorizationCode({})).toMatchObject({ fault: { code: "login_refused" } });
    expect(splitScopes("a,b c")).toEqual(["a", "b", "c"]);
    expect(findMissingScopes(["a", "b"], ["b"])).toEqual(["a"]);
  });
});

describe("a platform client", () => {
  test("names the product and its origin, whatever the adapter sends", async ({ expect }) => {
    const sent: (string | null)[] = [];
    const client = openPlatformClient(
      (request) => {
        sent.push(request.headers.get("user-agent"));
        return Promise.resolve(new Response());
      },
      {
        fixed: ["api.example.com"],
        userNamed: [],
        checkAddress: () => Promise.reject(new Error("not needed")),
        userAgent: userAgent("https://post.example.org"),
      },
    );
    await client.fetch("https://api.example.com/a");
    await client.fetch("https://api.example.com/b", {
      method: "POST",
      headers: { "User-Agent": "other", accept: "*/*" },
    });
    expect(sent).toEqual(["Almanac/1.0 (+https://post.example.org)", "Almanac/1.0 (+https://post.example.org)"]);
  });
});

describe("media rules", () => {
  test("unknown properties of a file are not problems", ({ expect }) => {
    const rule = {
      contentTypes: ["video/mp4"],
      maxBytes: 10_000,
      minSeconds: 3,
      minRatio: 1,
      maxFrameRate: 30,
      videoCodecs: ["h264"],
    };
    const unknown = video({ width: null, height: null, durationSeconds: null, facts: {} });
    expect(mediaProblems(unknown, 0, rule)).toEqual([]);
    const known = video({ width: 1, height: 2, durationSeconds: 2, facts: { frameRate: 60, videoCodec: "AV1" } });
    expect(
      mediaProblems(known, 3, rule).map((problem) => [problem.code, problem.param, problem.limit, problem.actual]),
    ).toEqual([
      ["media_aspect_ratio", "media_items[3]", 1, 0.5],
      ["media_duration", "media_items[3]", 3, 2],
      ["media_frame_rate", "media_items[3]", 30, 60],
      ["media_codec", "media_items[3]", "h264", "av1"],
    ]);
  });
});

test("undefined query parameters are left out", ({ expect }) => {
  expect(withQuery("https://a.example.com/?x=1", { y: 2, z: undefined }).href).toBe("https://a.example.com/?x=1&y=2");
});
