import { accountsStatement, readAccounts, type TargetAccount } from "#accounts/index.ts";
import type { Context } from "#context.ts";
import { PLATFORMS } from "#core/platform.ts";
import { batch } from "#db/batch.ts";
import {
  isMedia,
  mediaIdOf,
  mediaStatement,
  newestMediaStatement,
  parseMediaRows,
  parseReadyMediaRows,
  type ResolvedMedia,
} from "#media/index.ts";
import type { CreatorInfo } from "#platforms/contract.ts";
import { getArchivedPost } from "#posts/list/get-archived-post.ts";
import { toPost } from "#posts/rows/store-post-rows.ts";
import { postsStatement } from "#posts/rows/store-posts-by-id.ts";
import type { Post } from "#posts/rows/types.ts";
import { refreshCapabilities } from "#planning/fetch/refresh-capabilities.ts";

/** What a person can choose from while writing or editing a post. */
export interface ComposerData {
  /** The connected accounts of the workspace, in the order in which they were connected. */
  readonly accounts: readonly TargetAccount[];
  /** The stored media among the URLs of the input, by URL. */
  readonly media: ReadonlyMap<string, ResolvedMedia>;
  readonly newestMedia: readonly ResolvedMedia[];
  /** The post that is edited or copied. */
  readonly post: Post | null;
}

const NEWEST_MEDIA_COUNT = 24;

/** Reads everything for the composer in one round trip. Refuses another user's post. */
export async function loadComposer(
  ctx: Pick<Context, "actor" | "bucket" | "db" | "config" | "clock">,
  input: { readonly postId: string | null; readonly mediaUrls: readonly string[] },
): Promise<ComposerData> {
  const { actor, config } = ctx;
  const db = ctx.db;
  const ids = new Map(input.mediaUrls.map((url) => [url, mediaIdOf(config, url)]));
  const storedIds = [...new Set([...ids.values()].filter((id) => id !== null))];
  const { accounts, media, newestMedia, posts } = await batch(db, {
    accounts: accountsStatement(db, actor, { ids: [], platforms: PLATFORMS }),
    media: mediaStatement(db, actor, storedIds),
    newestMedia: newestMediaStatement(db, actor, NEWEST_MEDIA_COUNT),
    posts: postsStatement(db, actor, input.postId === null ? [] : [input.postId]),
  });
  const [row] = posts.results;
  const archived = input.postId !== null && !row ? await getArchivedPost(ctx, { id: input.postId }) : null;
  const byId = parseMediaRows(media.results, config);
  return {
    accounts: readAccounts(accounts.results),
    media: new Map(
      [...ids].flatMap(([url, id]) => {
        const item = id === null ? null : byId.get(id);
        return item && isMedia(item) ? [[url, item] as const] : [];
      }),
    ),
    newestMedia: parseReadyMediaRows(newestMedia.results, config),
    post: row ? toPost(row, ctx.clock.now()) : archived,
  };
}

/** Asks the platforms what each account may choose now. Accounts of platforms without such a call are left out. */
export async function readCreators(
  ctx: Context,
  accounts: readonly TargetAccount[],
): Promise<ReadonlyMap<string, CreatorInfo>> {
  const shown = accounts.filter(({ platform }) => ctx.adapterFor(platform)?.creatorOf !== undefined);
  const fresh = await refreshCapabilities(
    ctx,
    shown.map((account) => ({ account })),
  );
  return new Map(
    shown.flatMap((account) => {
      const settings = ctx.config.app(account.platform)?.settings ?? {};
      const capabilities = fresh.get(account.id) ?? account.capabilities;
      const creator = ctx.adapterFor(account.platform)?.creatorOf?.(capabilities, settings);
      return creator ? [[account.id, creator] as const] : [];
    }),
  );
}
