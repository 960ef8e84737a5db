import { describe, test, vi } from "vitest";
import { post as control, settings } from "./help.ts";
import {
  APP,
  authorize,
  codeFor,
  codeForm,
  person,
  READ,
  reasonOf,
  REDIRECT,
  revokeCall,
  tokenCall,
  tokensOf,
  UPLOAD,
} from "./youtube-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const errorOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${(await answer.json<{ error: string }>()).error}`;
const MINE = { part: "snippet,contentDetails,statistics", mine: "true" };

describe("the authorize page", () => {
  test.for<[what: string, change: Record<string, string | null>]>([
    ["another client", { client_id: "somebody" }],
    ["another response type", { response_type: "token" }],
    ["no scope", { scope: null }],
    ["no address to go back to", { redirect_uri: null }],
    ["a plain challenge", { code_challenge_method: "plain" }],
  ])("refuses %s without sending anybody back", async ([, change], { expect }) => {
    const answer = await authorize(change);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  test("gives code, scopes and state; sends back who says no", async ({ expect }) => {
    const back = new URL((await authorize()).headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: "s1", scope: `${UPLOAD} ${READ}` });
    const denied = new URL((await authorize({ login: "-" })).headers.get("location") ?? "");
    expect(Object.fromEntries(denied.searchParams)).toEqual({ error: "access_denied", state: "s1" });
  });
});

describe("the token endpoint", () => {
  test("gives a refresh token to a fresh offline consent alone", async ({ expect }) => {
    expect(await tokensOf()).toEqual({
      access_token: expect.stringMatching(/^ya29\./) as string,
      refresh_token: expect.stringMatching(/^1\/\/0/) as string,
      expires_in: 3599,
      scope: `${UPLOAD} ${READ}`,
      token_type: "Bearer",
    });
    const stale: Record<string, string | null>[] = [
      { prompt: null },
      { access_type: null },
      { prompt: "select_account" },
    ];
    for (const change of stale) {
      expect(await tokensOf(change)).not.toHaveProperty("refresh_token");
    }
    expect(await tokensOf({ prompt: "consent select_account" })).toHaveProperty("refresh_token");
  });

  test("says for how long, while the app is being tested", async ({ expect }) => {
    await settings("youtube", { testing: true });
    const tokens = await tokensOf();
    expect(tokens).toMatchObject({ refresh_token_expires_in: 604_799 });
    await settings("youtube", { testing: false });
    const renew = () => tokenCall({ grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" });
    expect((await renew()).status).toBe(200);
    pass(604_799);
    expect(await errorOf(await renew())).toBe("400 invalid_grant");
  });

  test("leaves out the scopes that were not ticked", async ({ expect }) => {
    expect((await tokensOf({ untick: READ })).scope).toBe(UPLOAD);
  });

  test("takes a code once, with its verifier, its address and the client's secret", async ({ expect }) => {
    const form = codeForm(await codeFor());
    expect(await errorOf(await tokenCall({ ...form, client_secret: "x" }))).toBe("401 invalid_client");
    expect(await errorOf(await tokenCall({ ...form, code_verifier: "w".repeat(64) }))).toBe("400 invalid_grant");
    expect(await errorOf(await tokenCall({ ...form, redirect_uri: "http://localhost/b" }))).toBe("400 invalid_grant");
    expect((await tokenCall(form)).status).toBe(200);
    expect(await errorOf(await tokenCall(form))).toBe("400 invalid_grant");
    expect(await errorOf(await tokenCall({ grant_type: "password" }))).toBe("400 unsupported_grant_type");
  });

  test("renews with the same refresh token again and again", async ({ expect }) => {
    const { refresh_token = "" } = await tokensOf();
    for (let round = 0; round < 2; round += 1) {
      const renewed = await (await tokenCall({ grant_type: "refresh_token", refresh_token })).json();
      expect(renewed).toEqual({
        access_token: expect.any(String) as string,
        expires_in: 3599,
        scope: `${UPLOAD} ${READ}`,
        token_type: "Bearer",
      });
    }
  });
});

describe("a token", () => {
  test("lives for 3599 seconds", async ({ expect }) => {
    const ada = await person();
    pass(3598);
    expect((await ada.get("channels", MINE)).status).toBe(200);
    pass(1);
    expect(await reasonOf(await ada.get("channels", MINE))).toBe("401 authError");
  });

  test.for(["access_token", "refresh_token"] as const)(
    "revoked by its %s takes the whole grant",
    async (which, { expect }) => {
      const ada = await person();
      const { refresh_token = "" } = ada.tokens;
      expect((await revokeCall(ada.tokens[which] ?? "")).status).toBe(200);
      expect(await reasonOf(await ada.get("channels", MINE))).toBe("401 authError");
      expect(await errorOf(await tokenCall({ grant_type: "refresh_token", refresh_token }))).toBe("400 invalid_grant");
      expect(await errorOf(await revokeCall(refresh_token))).toBe("400 invalid_token");
    },
  );

  test("dies when the person withdraws the app", async ({ expect }) => {
    const ben = await person({ login: "ben" });
    await control("/sandbox/platforms/youtube/revoke", { account: "UCben0000000000000000000" });
    expect(await reasonOf(await ben.get("channels", MINE))).toBe("401 authError");
  });

  test("of somebody unknown is none", async ({ expect }) => {
    expect(await errorOf(await tokenCall({ ...APP, grant_type: "refresh_token", refresh_token: "1//0x" }))).toBe(
      "400 invalid_grant",
    );
  });
});

describe("the channels", () => {
  test("of one who has one", async ({ expect }) => {
    const ada = await person();
    expect(await (await ada.get("channels", MINE)).json()).toEqual({
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

  test("of one who has none, and of one who has two", async ({ expect }) => {
    const cleo = await person({ login: "cleo" });
    expect(await (await cleo.get("channels", MINE)).json()).not.toHaveProperty("items");
    const dora = await person({ login: "dora" });
    expect((await (await dora.get("channels", MINE)).json<{ items: unknown[] }>()).items).toHaveLength(2);
  });

  test("give only the parts that were asked for, to a token that may read", async ({ expect }) => {
    const ada = await person();
    const { items } = await (await ada.get("channels", { part: "status", mine: "true" })).json<{ items: unknown[] }>();
    expect(items).toEqual([
      { kind: "youtube#channel", id: "UCada0000000000000000000", status: { longUploadsStatus: "allowed" } },
    ]);
    expect(await reasonOf(await ada.get("channels", { mine: "true" }))).toBe("400 missingRequiredParameter");
    const blind = await person({ scope: UPLOAD });
    expect(await reasonOf(await blind.get("channels", MINE))).toBe("403 insufficientPermissions");
  });
});
