import { describe, test, vi } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import { settings } from "../sandbox/help.ts";
import { newCaller } from "../support/user.ts";
import {
  accountsOf,
  bookOf,
  callsTo,
  connectInBrowser,
  disconnect,
  type File,
  freshFile,
  journeysApart,
  letTimePass,
  readPost,
  schedule,
  upload,
} from "./journey-driver.ts";
import { type Expected, KINDS, REVOKED_BY } from "./kinds.ts";

/* From a login in the browser to what the platform shows, and back out again: every kind of post there is. */

journeysApart("2031-03-01T09:00:00Z");

describe.each(PLATFORMS)("%s", (platform) => {
  const kinds = KINDS.filter((kind) => kind.platform === platform);

  test.for(kinds.map((kind) => [kind.name, kind] as const))("%s", { timeout: 30_000 }, async ([, kind], { expect }) => {
    const caption = kind.caption ?? `Journey: ${kind.name}, ${crypto.randomUUID()}`;
    await settings(platform, kind.settings ?? {});
    const caller = await newCaller();
    const { accounts, lastPage } = await connectInBrowser(caller, platform, kind.login);
    expect(lastPage).toContain("is connected");
    const account = accounts.find((one) => kind.from === undefined || one.display_name === kind.from)!;
    expect(account).toMatchObject({ platform, status: "active" });

    const files = await Promise.all(kind.files.map(freshFile));
    const media_items = [];
    for (const file of files) {
      media_items.push(await upload(caller, file));
    }
    const before = await bookOf(platform);
    const { post, preview } = await schedule(caller, {
      caption,
      media_items,
      targets: [{ account_id: account.id, platform_options: kind.options ?? {} }],
    });
    expect(preview.targets).toMatchObject([{ effective_caption: caption, platform_options: kind.filled }]);
    expect(post).toMatchObject({ status: "scheduled", plan_hash: preview.plan_hash });
    expect(post.media_items.map((item) => item.sha256)).toEqual(files.map((file) => file.sha256));

    await letTimePass([post]);
    const book = (await bookOf(platform)).slice(before.length);
    const shown = book.map(({ account: on, kind: is, text, title, media, options }) => ({
      account: on,
      kind: is,
      text,
      title,
      media: media.map((item) => item.sha256),
      options,
    }));
    expect(shown).toMatchObject(kind.book.map((one) => expectedOf(one, caption, account.platform_account_id, files)));
    expect(book.filter((entry) => entry.accepted_at < post.scheduled_at)).toEqual([]);

    const [first] = book;
    const published = await readPost(caller, post.id);
    expect(published.targets[0]?.error).toBeNull();
    expect(published).toMatchObject({
      status: "published",
      targets: [
        {
          status: "published",
          error: null,
          platform_post_id: kind.ends === undefined ? first?.id : first?.options["publish_id"],
          platform_post_url:
            kind.ends === "as a draft"
              ? null
              : kind.ends === undefined
                ? first?.url
                : first?.url.replace(/\/video\/.*$/, ""),
        },
      ],
    });
    expect(published.targets[0]!.started_at! >= post.scheduled_at).toBe(true);

    const since = Date.now();
    for (const one of accounts) {
      await disconnect(caller, one.id);
    }
    expect(await accountsOf(caller, platform)).toEqual([]);
    const by = REVOKED_BY[platform];
    if (by) {
      await vi.waitFor(async () => {
        const calls = await callsTo(platform, since);
        const statuses = calls.filter((one) => by.test(`${one.method} ${one.path}`)).map((one) => one.status);
        expect(new Set(statuses)).toEqual(new Set([200]));
      });
    }
  });
});

/** What stands in the book; options that a kind does not name may be anything. */
function expectedOf(one: Expected, caption: string, account: string, files: readonly File[]) {
  return {
    account,
    kind: one.kind,
    text: one.text ?? caption,
    title: one.title ?? null,
    media: (one.media ?? [...files.keys()]).map((at) => files[at]?.sha256),
    options: one.options,
  };
}
