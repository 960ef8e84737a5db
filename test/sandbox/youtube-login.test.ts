import { describe, test, vi } from "vitest";
import { fromBase64Url } from "#core/encoding.ts";
import { postJson, changeSettings } from "./sandbox-api.ts";
import {
  APP,
  authorize,
  requestCode,
  codeGrantForm,
  createClient,
  READ_SCOPE,
  errorReasonOf,
  REDIRECT,
  revokeToken,
  requestToken,
  requestTokens,
  UPLOAD_SCOPE,
} from "./youtube-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const errorOf = async (response: Response): Promise<string> =>
  `${response.status} ${(await response.json<{ error: string }>()).error}`;
const OWN_CHANNELS = { part: "snippet,contentDetails,statistics", mine: "true" };

describe("the authorize page", () => {
  test.for<[what: string, overrides: Record<string, string | null>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no scope", { scope: null }],
    ["a scope that does not exist", { scope: `${UPLOAD_SCOPE} https://www.googleapis.com/auth/youtube.publish` }],
    ["no redirect_uri", { redirect_uri: null }],
    ["a plain challenge", { code_challenge_method: "plain" }],
  ])("refuses %s without a redirect", async ([, overrides], { expect }) => {
    const response = await authorize(overrides);
    expect([response.status, response.headers.get("location")]).toEqual([400, null]);
  });

  test("redirects with code, scopes and state, or with access_denied", async ({ expect }) => {
    const back = new URL((await authorize()).headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      state: "s1",
      scope: `${UPLOAD_SCOPE} ${READ_SCOPE}`,
    });
    const denied = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(denied.searchParams)).toEqual({ error: "access_denied", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives a refresh token only for a new offline consent", async ({ expect }) => {
    expect(await requestTokens()).toEqual({
      access_token: expect.stringMatching(/^ya29\./) as string,
      refresh_token: expect.stringMatching(/^1\/\/0/) as string,
      expires_in: 3599,
      scope: `${UPLOAD_SCOPE} ${READ_SCOPE}`,
      token_type: "Bearer",
    });
    const withoutRefreshToken: Record<string, string | null>[] = [
      { prompt: null },
      { access_type: null },
      { prompt: "select_account" },
    ];
    for (const overrides of withoutRefreshToken) {
      expect(await requestTokens(overrides)).not.toHaveProperty("refresh_token");
    }
    expect(await requestTokens({ prompt: "consent select_account" })).toHaveProperty("refresh_token");
  });

  test("gives an ID token that names the Google user only for the scope openid", async ({ expect }) => {
    const subjects = await Promise.all(
      ["ada", "dora", "dora_sings"].map(async (login) => {
        const { id_token = "" } = await requestTokens({ login, scope: `openid ${READ_SCOPE}` });
        return JSON.parse(new TextDecoder().decode(fromBase64Url(id_token.split(".")[1] ?? ""))) as { sub: string };
      }),
    );
    expect(subjects[0]).toMatchObject({ iss: "https://accounts.google.com", aud: APP.client_id });
    expect(subjects[1]?.sub).toBe(subjects[2]?.sub);
    expect(subjects[0]?.sub).not.toBe(subjects[1]?.sub);
    expect(await requestTokens()).not.toHaveProperty("id_token");
  });

  test("limits the refresh token while the app is in its testing phase", async ({ expect }) => {
    await changeSettings("youtube", { testing: true });
    const tokens = await requestTokens();
    expect(tokens).toMatchObject({ refresh_token_expires_in: 604_799 });
    await changeSettings("youtube", { testing: false });
    const refresh = () => requestToken({ grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" });
    expect((await refresh()).status).toBe(200);
    advanceSeconds(604_799);
    expect(await errorOf(await refresh())).toBe("400 invalid_grant");
  });

  test("leaves out the scopes that the user deselected", async ({ expect }) => {
    expect((await requestTokens({ untick: READ_SCOPE })).scope).toBe(UPLOAD_SCOPE);
  });

  test("accepts a code once, with its verifier, its redirect_uri and the client's secret", async ({ expect }) => {
    const form = codeGrantForm(await requestCode());
    expect(await errorOf(await requestToken({ ...form, client_secret: "x" }))).toBe("401 invalid_client");
    expect(await errorOf(await requestToken({ ...form, code_verifier: "w".repeat(64) }))).toBe("400 invalid_grant");
    expect(await errorOf(await requestToken({ ...form, redirect_uri: "http://localhost/b" }))).toBe(
      "400 invalid_grant",
    );
    expect((await requestToken(form)).status).toBe(200);
    expect(await errorOf(await requestToken(form))).toBe("400 invalid_grant");
    expect(await errorOf(await requestToken({ grant_type: "password" }))).toBe("400 unsupported_grant_type");
  });

  test("refreshes with the same refresh token repeatedly", async ({ expect }) => {
    const { refresh_token = "" } = await requestTokens();
    for (let round = 0; round < 2; round += 1) {
      const refreshed = await (await requestToken({ grant_type: "refresh_token", refresh_token })).json();
      expect(refreshed).toEqual({
        access_token: expect.any(String) as string,
        expires_in: 3599,
        scope: `${UPLOAD_SCOPE} ${READ_SCOPE}`,
        token_type: "Bearer",
      });
    }
  });
});

describe("a token", () => {
  test("is valid for 3599 seconds", async ({ expect }) => {
    const ada = await createClient();
    advanceSeconds(3598);
    expect((await ada.get("channels", OWN_CHANNELS)).status).toBe(200);
    advanceSeconds(1);
    expect(await errorReasonOf(await ada.get("channels", OWN_CHANNELS))).toBe("401 authError");
  });

  test.for(["access_token", "refresh_token"] as const)(
    "revoked by its %s revokes the whole grant",
    async (which, { expect }) => {
      const ada = await createClient();
      const { refresh_token = "" } = ada.tokens;
      expect((await revokeToken(ada.tokens[which] ?? "")).status).toBe(200);
      expect(await errorReasonOf(await ada.get("channels", OWN_CHANNELS))).toBe("401 authError");
      expect(await errorOf(await requestToken({ grant_type: "refresh_token", refresh_token }))).toBe(
        "400 invalid_grant",
      );
      expect(await errorOf(await revokeToken(refresh_token))).toBe("400 invalid_token");
    },
  );

  test("is revoked with those of the same Google user's other channels", async ({ expect }) => {
    const draws = await createClient({ login: "dora" });
    const sings = await createClient({ login: "dora_sings" });
    expect((await revokeToken(draws.tokens.access_token)).status).toBe(200);
    expect(await errorReasonOf(await sings.get("channels", OWN_CHANNELS))).toBe("401 authError");
  });

  test("is invalid once the user revokes access", async ({ expect }) => {
    const ben = await createClient({ login: "ben" });
    await postJson("/sandbox/platforms/youtube/revoke", { account: "UCben0000000000000000000" });
    expect(await errorReasonOf(await ben.get("channels", OWN_CHANNELS))).toBe("401 authError");
  });

  test("that is unknown cannot be refreshed", async ({ expect }) => {
    expect(await errorOf(await requestToken({ ...APP, grant_type: "refresh_token", refresh_token: "1//0x" }))).toBe(
      "400 invalid_grant",
    );
  });
});

describe("the channels", () => {
  test("of a user with one channel", async ({ expect }) => {
    const ada = await createClient();
    expect(await (await ada.get("channels", OWN_CHANNELS)).json()).toEqual({
      kind: "youtube#channelListResponse",
      pageInfo: { totalResults: 1, resultsPerPage: 5 },
      items: [
        {
          kind: "youtube#channel",
          id: "UCada0000000000000000000",
          snippet: {
            title: "Ada Makes",
            customUrl: "@adamakes",
            thumbnails: { default: { url: expect.any(String) as string } },
          },
          contentDetails: { relatedPlaylists: { uploads: "UUada0000000000000000000" } },
          statistics: { subscriberCount: "12" },
        },
      ],
    });
  });

  test("of a user without one, and of a user who chose one of two", async ({ expect }) => {
    const cleo = await createClient({ login: "cleo" });
    expect(await (await cleo.get("channels", OWN_CHANNELS)).json()).not.toHaveProperty("items");
    for (const [login, id] of [
      ["dora", "UCdora000000000000000000"],
      ["dora_sings", "UCdora000000000000000001"],
    ] as const) {
      const dora = await createClient({ login });
      const { items } = await (await dora.get("channels", OWN_CHANNELS)).json<{ items: { id: string }[] }>();
      expect(items.map((channel) => channel.id)).toEqual([id]);
    }
  });

  test("return only the requested parts, and need a read scope", async ({ expect }) => {
    const ada = await createClient();
    const { items } = await (await ada.get("channels", { part: "status", mine: "true" })).json<{ items: unknown[] }>();
    expect(items).toEqual([
      { kind: "youtube#channel", id: "UCada0000000000000000000", status: { longUploadsStatus: "allowed" } },
    ]);
    expect(await errorReasonOf(await ada.get("channels", { mine: "true" }))).toBe("400 missingRequiredParameter");
    const uploader = await createClient({ scope: UPLOAD_SCOPE });
    expect(await errorReasonOf(await uploader.get("channels", OWN_CHANNELS))).toBe("403 insufficientPermissions");
  });
});
