import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import {
  logIn,
  publishUntilSettled,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
  withCallListener,
} from "../support/drive-simulator.ts";
import { sampleOf } from "../support/platform-samples.ts";

/* No token, secret or code that a platform issued is part of a URL that we call, because URLs end up in logs. */

vi.setConfig({ testTimeout: 60_000 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Not `appsecret_proof`: it opens nothing without the token that it belongs to, and a GET has no other place for it. */
const SECRET_PARAMETER = /^(?:.*token|.*secret|code|code_verifier|assertion|client_assertion|password|key)$/i;

/** Parameters without an alternative, with the reason. */
const DOCUMENTED_EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ["GET graph.instagram.com/access_token client_secret", "Instagram answers a POST with Unsupported request"],
  ["GET graph.instagram.com/access_token access_token", "the same call"],
  ["GET graph.instagram.com/refresh_access_token access_token", "Instagram documents the query only"],
  ["GET graph.threads.net/access_token client_secret", "Threads documents the query only"],
  ["GET graph.threads.net/access_token access_token", "the same call"],
  ["GET graph.threads.net/refresh_access_token access_token", "Threads documents the query only"],
  ["PUT open-upload.tiktokapis.com/video/ upload_token", "part of the upload URL that TikTok issues for one file"],
  ["GET graph.threads.net/debug_token input_token", "the token to look at is a parameter of this GET"],
]);

/** A cursor of a list, not a credential. */
const PAGE_CURSORS = new Set(["pageToken", "pagination_token", "next_token"]);

describe.each(PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []))("$platform", (adapter) => {
  test("no token, secret or code is part of a URL", async ({ expect }) => {
    const issued = new Set<string>();
    const urls: { readonly call: string; readonly url: URL }[] = [];
    await withCallListener(
      async (request) => {
        const url = new URL(request.url);
        urls.push({ call: `${request.method} ${url.host}${url.pathname}`, url });
        const [, credential] = (request.headers.get("authorization") ?? "").split(" ");
        if (credential) {
          issued.add(credential);
        }
      },
      async () => {
        const { tokens, accounts } = await logIn(adapter, "ada");
        const account = accounts[0]!;
        const app = sandboxCredentials(adapter);
        const { files, options } = sampleOf(adapter.platform).post;
        const boards = await adapter.listBoards?.(simulatedClient(adapter), account);
        const media = await Promise.all(files.map((name) => sampleMedia(name)));
        await publishUntilSettled(adapter, account, {
          caption: "No secret in any URL",
          media,
          options: { ...options, ...(boards?.ok && { board_ids: boards.value.slice(0, 1).map(({ id }) => id) }) },
        });
        for (const secret of [tokens.accessToken, tokens.refreshToken, account.accessToken, app.clientSecret]) {
          issued.add(secret ?? "");
        }
        const { tokenRefresh, revoke } = adapter.connect;
        if (tokenRefresh.kind === "refresh" && tokenRefresh.canRefresh(tokens)) {
          vi.setSystemTime(Date.now() + 25 * 3_600_000);
          await tokenRefresh.refresh(simulatedClient(adapter), app, tokens, Date.now());
        }
        await revoke?.(simulatedClient(adapter), app, tokens);
      },
    );
    issued.delete("");
    expect(urls.length).toBeGreaterThan(3);
    expect(issued.size).toBeGreaterThan(0);
    const found = urls.flatMap(({ call, url }) =>
      [...url.searchParams]
        .filter(([name, value]) => issued.has(value) || (SECRET_PARAMETER.test(name) && !PAGE_CURSORS.has(name)))
        .map(([name]) => `${call} ${name}`),
    );
    expect(found.filter((entry) => !DOCUMENTED_EXCEPTIONS.has(entry))).toEqual([]);
    expect(urls.filter(({ url }) => [...issued].some((secret) => url.pathname.includes(secret)))).toEqual([]);
  });
});
