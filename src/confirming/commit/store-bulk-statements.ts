import { platformsOf } from "#core/platform.ts";
import type { Db } from "#db/client.ts";
import { WATCH_UNARMED_MS } from "#arming/arm-posts.ts";
import { type BulkPlan, mediaIdsOf } from "#planning/plan/post-plan.ts";
import {
  insertMediaUsesStatement,
  type PlanStatements,
  POST_COLUMNS,
  type PostOrigin,
  TARGET_COLUMNS,
  watchAtOf,
} from "./store-plan-statements.ts";
import { searchTextOfAnnotations, searchTextOfPost } from "#posts/rows/search-text.ts";
import { armedAtOnce } from "./armed-at-once.ts";

/**
 * The statements that write the posts of a bulk plan; their number does not grow with the posts. All read one JSON
 * parameter: D1 accepts texts up to 2 MB, and a plan is smaller.
 */
export function bulkStatements(
  db: Db,
  { posts, userId, workspaceId }: BulkPlan,
  { confirmHash, via, by, now }: PostOrigin,
): PlanStatements {
  const armed = new Set(armedAtOnce(posts, now).map(({ id }) => id));
  const rows = JSON.stringify(
    posts.map(({ row: _row, annotations, targets, media, ...post }) => ({
      ...post,
      media: JSON.stringify(media),
      platforms: JSON.stringify(platformsOf(targets)),
      watchAt: armed.has(post.id) ? watchAtOf(post.scheduledAt, now) : now + WATCH_UNARMED_MS,
      annotations: annotations && { ...annotations, searchText: searchTextOfAnnotations(annotations) },
      targets: targets.map((target) => ({
        ...target,
        options: JSON.stringify(target.options),
        requestedOptions: JSON.stringify(target.requestedOptions),
        media: target.media ? JSON.stringify(target.media) : null,
      })),
    })),
  );
  // The searchable texts are a second parameter, because both together could exceed the 2 MB that D1 accepts.
  const searchTexts = JSON.stringify(posts.map(searchTextOfPost));
  const uses = posts.flatMap((post) => mediaIdsOf(post).map((id) => [id, post.id] as const));
  const writes = [
    // Write the targets before the posts: inserting a post fires a trigger that records an event with its targets.
    db.d1
      .prepare(
        `INSERT INTO post_targets (${TARGET_COLUMNS})
         SELECT p.value ->> 'id', t.value ->> 'accountId', t.value ->> 'position', t.value ->> 'platform', t.value ->> 'username',
           t.value ->> 'caption', coalesce(t.value ->> 'effectiveCaption', t.value ->> 'caption', p.value ->> 'caption'),
           t.value ->> 'options', t.value ->> 'requestedOptions', t.value ->> 'media', 'pending', p.value ->> 'scheduledAt', '[]', ?2
         FROM json_each(?1) AS p CROSS JOIN json_each(p.value, '$.targets') AS t`,
      )
      .bind(rows, now),
    ...(posts.some(({ annotations }) => annotations !== undefined)
      ? [
          db.d1
            .prepare(
              `INSERT INTO post_annotations (workspace_id, post_id, scheduled_at, external_id, metadata, labels, notes, search_text, updated_at)
               SELECT ?2, p.value ->> 'id', p.value ->> 'scheduledAt', p.value ->> '$.annotations.externalId',
                 p.value ->> '$.annotations.metadata', p.value ->> '$.annotations.labels', p.value ->> '$.annotations.notes',
                 p.value ->> '$.annotations.searchText', ?3
               FROM json_each(?1) AS p WHERE p.value -> 'annotations' IS NOT NULL`,
            )
            .bind(rows, workspaceId, now),
        ]
      : []),
    db.d1
      .prepare(
        `INSERT INTO posts (${POST_COLUMNS})
         WITH texts AS MATERIALIZED (SELECT key, value FROM json_each(?8))
         SELECT p.value ->> 'id', ?2, ?3, 'scheduled', p.value ->> 'scheduledAt', 1, p.value ->> 'watchAt', p.value ->> 'postType',
           p.value ->> 'caption', p.value ->> 'media', p.value ->> 'platforms', p.value ->> 'planHash', ?4, ?5, ?6, ?7, ?7,
           s.value
         FROM json_each(?1) AS p JOIN texts AS s ON s.key = p.key`,
      )
      .bind(rows, workspaceId, userId, confirmHash, via, by === null ? null : JSON.stringify(by), now, searchTexts),
    ...(uses.length > 0 ? [insertMediaUsesStatement(db, uses)] : []),
  ];
  return { writes, posts: undefined };
}
