/* The statements of the floor: the least that answer each request. ?1 is the hash of the key. */

const CREDENTIAL = `FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN subscriptions s ON s.user_id = u.id
  WHERE k.hash = ?1 AND k.revoked_at IS NULL`;
const USER = "(SELECT k.user_id FROM api_keys k WHERE k.hash = ?1)";
const WORKSPACE = "(SELECT u.active_workspace_id FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.hash = ?1)";

const instant = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;

const object = (members: Readonly<Record<string, string>>): string =>
  `json_object(${Object.entries(members)
    .map(([name, expression]) => `'${name}', ${expression}`)
    .join(", ")})`;

const publicPart = (member: string): string => `t.progress ->> ('$.thread[' || part.key || '].${member}')`;

const PART = object({
  index: "part.key",
  status: `iif(${publicPart("id")} IS NULL, t.state, 'published')`,
  platform_post_id: publicPart("id"),
  url: publicPart("url"),
});

const TARGET = object({
  account_id: "t.account_id",
  platform: "t.platform",
  username: "t.username",
  caption: "t.caption",
  effective_caption: "t.effective_caption",
  platform_options: "json(t.options)",
  status: "t.state",
  platform_post_id: "t.remote_id",
  platform_post_url: "t.remote_url",
  published_at: instant("t.published_at"),
  attempts: "t.attempts",
  next_attempt_at: instant("t.next_attempt_at"),
  error: "json(t.error)",
  extras: "json(t.extras)",
  due_at: instant("t.due_at"),
  started_at: instant("t.started_at"),
  late_by_ms: "t.started_at - t.due_at",
  media_items: "json(t.media)",
  parts: `json(iif(t.options -> '$.thread' IS NULL, NULL,
    (SELECT json_group_array(${PART}) FROM json_each(json_insert(t.options -> '$.thread', '$[#]', 0)) part)))`,
});

const POST = object({
  id: "p.id",
  workspace_id: "p.workspace_id",
  status: "p.status",
  caption: "p.caption",
  post_type: "p.post_type",
  scheduled_at: instant("p.scheduled_at"),
  published_at: "NULL",
  version: "p.version",
  created_at: instant("p.created_at"),
  updated_at: instant("p.updated_at"),
  created_via: "p.created_via",
  created_by: "json(p.created_by)",
  paused_reason: "p.paused_reason",
  plan_hash: "p.plan_hash",
  targets: `(SELECT json_group_array(${TARGET} ORDER BY t.position) FROM post_targets t WHERE t.post_id = p.id)`,
  media_items: "json(p.media)",
  external_id: "a.external_id",
  metadata: "json(coalesce(a.metadata, '{}'))",
  labels: "json(coalesce(a.labels, '[]'))",
  notes: "a.notes",
});
const POSTS = "posts p LEFT JOIN post_annotations a ON a.workspace_id = p.workspace_id AND a.post_id = p.id";

const STATUSES = ["scheduled", "publishing", "published", "partially_failed", "failed", "paused"];

export const FLOOR_SQL = {
  credential: `SELECT k.id AS id, k.scopes AS scopes, k.user_id AS user_id, u.active_workspace_id AS workspace_id, u.time_zone AS time_zone,
      s.plan AS plan, s.status AS status, s.current_period_end AS current_period_end ${CREDENTIAL} AND (k.expires_at IS NULL OR k.expires_at > ?2)`,
  list: `SELECT json_group_array(json(post)) AS posts FROM (SELECT ${POST} AS post FROM ${POSTS}
      WHERE p.workspace_id = ${WORKSPACE} AND p.user_id = ${USER} AND p.status <> 'cancelled' AND p.scheduled_at >= ?2
      ORDER BY p.scheduled_at, p.id LIMIT ?3)`,
  total: `SELECT (SELECT coalesce(sum(${STATUSES.join(" + ")}), 0) FROM post_days WHERE workspace_id = ${WORKSPACE} AND day >= ?3)
      + (SELECT count(*) FROM posts WHERE workspace_id = ${WORKSPACE} AND status <> 'cancelled'
        AND scheduled_at >= ?2 AND scheduled_at < ?3 * 86400000) AS total`,
  get: `SELECT ${POST} AS post FROM ${POSTS} WHERE p.id = ?2 AND p.user_id = ${USER} AND p.workspace_id = ${WORKSPACE}`,
  summary: `SELECT
      (SELECT json_group_array(json_array(day, json(slots))) FROM post_days WHERE workspace_id = ${WORKSPACE} AND day BETWEEN ?3 AND ?4 AND slots <> '{}') AS days,
      (SELECT ${object(Object.fromEntries(STATUSES.map((status) => [status, `sum(${status})`])))} FROM post_days WHERE workspace_id = ${WORKSPACE}) AS counts,
      (SELECT json_group_object(name, count) FROM (SELECT j.key AS name, sum(j.value) AS count
        FROM post_days d, json_each(d.platforms) j WHERE d.workspace_id = ${WORKSPACE} GROUP BY j.key)) AS platforms,
      (SELECT json_quote(${instant("p.scheduled_at")}) FROM posts p WHERE p.workspace_id = ${WORKSPACE} AND p.status = 'scheduled'
        AND p.scheduled_at >= ?2 ORDER BY p.scheduled_at LIMIT 1) AS next,
      (SELECT json_group_array((SELECT count(*) FROM posts p WHERE p.workspace_id = ${WORKSPACE} AND p.status = 'scheduled'
        AND p.scheduled_at >= r.value ->> 0 AND p.scheduled_at < r.value ->> 1)) FROM json_each(?5) r) AS partial`,
  accounts: `SELECT json_group_array(json_object('account_id', a.id, 'platform', a.platform, 'username', a.username)) AS accounts
    FROM json_each(?2) w CROSS JOIN accounts a ON a.id = w.value WHERE a.user_id = ${USER} AND a.workspace_id = ${WORKSPACE}`,
  countPreview: `INSERT INTO hourly_use (hour, user_id, name, used) VALUES (?2, ${USER}, 'previews', 1)
    ON CONFLICT (hour, user_id, name) DO UPDATE SET used = used + 1`,
  // `?2` is the plan as it was stored; `?3` is the time.
  insertTargets: `INSERT INTO post_targets (post_id, account_id, position, platform, username, effective_caption, options, requested_options, state, due_at, history, updated_at)
    SELECT ?2 ->> 'id', t.value ->> 'account_id', t.key, t.value ->> 'platform', t.value ->> 'username', ?2 ->> 'caption', t.value -> 'platform_options',
      t.value -> 'platform_options', 'pending', ?2 ->> 'scheduledAt', '[]', ?3 FROM json_each(?2, '$.targets') t`,
  insertPost: `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, watch_at, post_type, caption, media, platforms, plan_hash,
      confirm_hash, created_via, created_by, created_at, updated_at)
    SELECT ?2 ->> 'id', ${WORKSPACE}, ${USER}, 'scheduled', ?2 ->> 'scheduledAt', 1, (?2 ->> 'scheduledAt') + 60000, 'text', ?2 ->> 'caption', '[]',
      (SELECT json_group_array(t.value ->> 'platform') FROM json_each(?2, '$.targets') t), ?2 ->> 'planHash', ?2 ->> 'planHash', 'api',
      json_object('kind', 'key', 'id', k.id, 'name', k.name), ?3, ?3 FROM api_keys k WHERE k.hash = ?1`,
  updateTargets: `UPDATE post_targets SET effective_caption = ?2 ->> 'caption', updated_at = ?3 WHERE post_id = ?2 ->> 'id'`,
  updatePost: `UPDATE posts SET version = version + 1, caption = ?2 ->> 'caption', plan_hash = ?2 ->> 'planHash', updated_at = ?3,
      changes = json_array(json(?2 -> 'changes')) WHERE id = ?2 ->> 'id' AND user_id = ${USER}`,
  insertConfirmation: `INSERT INTO confirmations (issued_hour, token_hash, user_id, nonce, post_ids, expected, matched)
    VALUES (CAST(?3 / 3600000 AS INTEGER), ?4, ${USER}, ?4, json_array(?2 ->> 'id'), 1, 1)`,
  cancel: `UPDATE posts SET status = 'cancelled', watch_at = NULL, version = version + 1, updated_at = ?3 WHERE id = ?2 AND user_id = ${USER} RETURNING id`,
} as const;
