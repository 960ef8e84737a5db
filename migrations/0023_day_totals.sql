CREATE TABLE `post_totals` (
	`workspace_id` text NOT NULL,
	`side` text NOT NULL,
	`day` integer NOT NULL,
	`scheduled` integer DEFAULT 0 NOT NULL,
	`published` integer DEFAULT 0 NOT NULL,
	`partially_failed` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`paused` integer DEFAULT 0 NOT NULL,
	`platforms` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`workspace_id`, `side`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `post_days` ADD `times` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
DROP TRIGGER post_days_insert;
--> statement-breakpoint
DROP TRIGGER post_days_change;
--> statement-breakpoint
DROP TRIGGER post_days_leave;
--> statement-breakpoint
DROP TRIGGER post_days_arrive;
--> statement-breakpoint
DROP TRIGGER post_days_delete;
--> statement-breakpoint
-- A publishing post is counted as scheduled, so that a claim does not write its day.
-- Every change is a patch of the members that it concerns, so that it reads as much on a day of a thousand posts as on a day of one.
CREATE TRIGGER post_days_insert AFTER INSERT ON posts
WHEN NEW.status <> 'cancelled'
BEGIN
  INSERT INTO post_days (workspace_id, day, scheduled, published, partially_failed, failed, paused, slots, platforms, times)
  VALUES (NEW.workspace_id, NEW.scheduled_at / 86400000, NEW.status IN ('scheduled', 'publishing'), NEW.status = 'published', NEW.status = 'partially_failed', NEW.status = 'failed', NEW.status = 'paused',
    iif(NEW.status IN ('scheduled', 'publishing', 'published'), json_object(CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT), 1), '{}'),
    iif(NEW.status IN ('scheduled', 'publishing'), (SELECT json_group_object(value, 1) FROM json_each(NEW.platforms)), '{}'),
    (SELECT json_group_object(value, 1) FROM json_each(json_array('all.h' || (NEW.scheduled_at % 86400000 / 3600000), 'all.q' || (NEW.scheduled_at % 86400000 / 900000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.h' || (NEW.scheduled_at % 86400000 / 3600000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.q' || (NEW.scheduled_at % 86400000 / 900000)))))
  ON CONFLICT (workspace_id, day) DO UPDATE SET
    scheduled = scheduled + excluded.scheduled,
    published = published + excluded.published,
    partially_failed = partially_failed + excluded.partially_failed,
    failed = failed + excluded.failed,
    paused = paused + excluded.paused,
    slots = json_patch(post_days.slots, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.slots ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT) AS k, 1 AS d WHERE NEW.status IN ('scheduled', 'publishing', 'published')
      ) GROUP BY k HAVING sum(d) <> 0))),
    platforms = json_patch(post_days.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, 1 AS d FROM json_each(NEW.platforms) WHERE NEW.status IN ('scheduled', 'publishing')
      ) GROUP BY k HAVING sum(d) <> 0))),
    times = json_patch(post_days.times, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.times ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, 1 AS d FROM json_each(json_array('all.h' || (NEW.scheduled_at % 86400000 / 3600000), 'all.q' || (NEW.scheduled_at % 86400000 / 900000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.h' || (NEW.scheduled_at % 86400000 / 3600000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.q' || (NEW.scheduled_at % 86400000 / 900000))) WHERE NEW.status <> 'cancelled'
      ) GROUP BY k HAVING sum(d) <> 0)));
END;
--> statement-breakpoint
CREATE TRIGGER post_days_change AFTER UPDATE OF status, scheduled_at, platforms, workspace_id ON posts
WHEN OLD.workspace_id = NEW.workspace_id AND OLD.scheduled_at / 86400000 = NEW.scheduled_at / 86400000
  AND (iif(OLD.status = 'publishing', 'scheduled', OLD.status) <> iif(NEW.status = 'publishing', 'scheduled', NEW.status) OR OLD.scheduled_at / 900000 <> NEW.scheduled_at / 900000 OR OLD.platforms <> NEW.platforms)
BEGIN
  UPDATE post_days SET
    scheduled = scheduled + (NEW.status IN ('scheduled', 'publishing')) - (OLD.status IN ('scheduled', 'publishing')),
    published = published + (NEW.status = 'published') - (OLD.status = 'published'),
    partially_failed = partially_failed + (NEW.status = 'partially_failed') - (OLD.status = 'partially_failed'),
    failed = failed + (NEW.status = 'failed') - (OLD.status = 'failed'),
    paused = paused + (NEW.status = 'paused') - (OLD.status = 'paused'),
    slots = json_patch(post_days.slots, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.slots ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(OLD.scheduled_at % 86400000 / 900000 AS TEXT) AS k, -1 AS d WHERE OLD.status IN ('scheduled', 'publishing', 'published')
        UNION ALL SELECT CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT) AS k, 1 AS d WHERE NEW.status IN ('scheduled', 'publishing', 'published')
      ) GROUP BY k HAVING sum(d) <> 0))),
    platforms = json_patch(post_days.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(OLD.platforms) WHERE OLD.status IN ('scheduled', 'publishing')
        UNION ALL SELECT value AS k, 1 AS d FROM json_each(NEW.platforms) WHERE NEW.status IN ('scheduled', 'publishing')
      ) GROUP BY k HAVING sum(d) <> 0))),
    times = json_patch(post_days.times, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.times ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(json_array('all.h' || (OLD.scheduled_at % 86400000 / 3600000), 'all.q' || (OLD.scheduled_at % 86400000 / 900000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.h' || (OLD.scheduled_at % 86400000 / 3600000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.q' || (OLD.scheduled_at % 86400000 / 900000))) WHERE OLD.status <> 'cancelled'
        UNION ALL SELECT value AS k, 1 AS d FROM json_each(json_array('all.h' || (NEW.scheduled_at % 86400000 / 3600000), 'all.q' || (NEW.scheduled_at % 86400000 / 900000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.h' || (NEW.scheduled_at % 86400000 / 3600000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.q' || (NEW.scheduled_at % 86400000 / 900000))) WHERE NEW.status <> 'cancelled'
      ) GROUP BY k HAVING sum(d) <> 0))),
    lateness = iif(OLD.status = 'publishing' AND NEW.status IN ('published', 'partially_failed'), json_patch(post_days.lateness, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.lateness ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(iif(ms < 100, ms, iif(ms < 1000, ms / 10 * 10, iif(ms < 10000, ms / 100 * 100,
          iif(ms < 100000, ms / 1000 * 1000, ms / 10000 * 10000)))) AS TEXT) AS k, 1 AS d
        FROM (SELECT max(0, coalesce(started_at, published_at) - due_at) AS ms FROM post_targets
          WHERE post_id = NEW.id AND state = 'published' AND due_at = NEW.scheduled_at)
      ) GROUP BY k HAVING sum(d) <> 0))), lateness)
  WHERE workspace_id = NEW.workspace_id AND day = NEW.scheduled_at / 86400000;
END;
--> statement-breakpoint
CREATE TRIGGER post_days_leave AFTER UPDATE OF status, scheduled_at, platforms, workspace_id ON posts
WHEN NOT (OLD.workspace_id = NEW.workspace_id AND OLD.scheduled_at / 86400000 = NEW.scheduled_at / 86400000) AND OLD.status <> 'cancelled'
BEGIN
  UPDATE post_days SET
    scheduled = scheduled - (OLD.status IN ('scheduled', 'publishing')),
    published = published - (OLD.status = 'published'),
    partially_failed = partially_failed - (OLD.status = 'partially_failed'),
    failed = failed - (OLD.status = 'failed'),
    paused = paused - (OLD.status = 'paused'),
    slots = json_patch(post_days.slots, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.slots ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(OLD.scheduled_at % 86400000 / 900000 AS TEXT) AS k, -1 AS d WHERE OLD.status IN ('scheduled', 'publishing', 'published')
      ) GROUP BY k HAVING sum(d) <> 0))),
    platforms = json_patch(post_days.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(OLD.platforms) WHERE OLD.status IN ('scheduled', 'publishing')
      ) GROUP BY k HAVING sum(d) <> 0))),
    times = json_patch(post_days.times, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.times ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(json_array('all.h' || (OLD.scheduled_at % 86400000 / 3600000), 'all.q' || (OLD.scheduled_at % 86400000 / 900000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.h' || (OLD.scheduled_at % 86400000 / 3600000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.q' || (OLD.scheduled_at % 86400000 / 900000))) WHERE OLD.status <> 'cancelled'
      ) GROUP BY k HAVING sum(d) <> 0)))
  WHERE workspace_id = OLD.workspace_id AND day = OLD.scheduled_at / 86400000;
END;
--> statement-breakpoint
CREATE TRIGGER post_days_arrive AFTER UPDATE OF status, scheduled_at, platforms, workspace_id ON posts
WHEN NOT (OLD.workspace_id = NEW.workspace_id AND OLD.scheduled_at / 86400000 = NEW.scheduled_at / 86400000) AND NEW.status <> 'cancelled'
BEGIN
  INSERT INTO post_days (workspace_id, day, scheduled, published, partially_failed, failed, paused, slots, platforms, times)
  VALUES (NEW.workspace_id, NEW.scheduled_at / 86400000, NEW.status IN ('scheduled', 'publishing'), NEW.status = 'published', NEW.status = 'partially_failed', NEW.status = 'failed', NEW.status = 'paused',
    iif(NEW.status IN ('scheduled', 'publishing', 'published'), json_object(CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT), 1), '{}'),
    iif(NEW.status IN ('scheduled', 'publishing'), (SELECT json_group_object(value, 1) FROM json_each(NEW.platforms)), '{}'),
    (SELECT json_group_object(value, 1) FROM json_each(json_array('all.h' || (NEW.scheduled_at % 86400000 / 3600000), 'all.q' || (NEW.scheduled_at % 86400000 / 900000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.h' || (NEW.scheduled_at % 86400000 / 3600000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.q' || (NEW.scheduled_at % 86400000 / 900000)))))
  ON CONFLICT (workspace_id, day) DO UPDATE SET
    scheduled = scheduled + excluded.scheduled,
    published = published + excluded.published,
    partially_failed = partially_failed + excluded.partially_failed,
    failed = failed + excluded.failed,
    paused = paused + excluded.paused,
    slots = json_patch(post_days.slots, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.slots ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT) AS k, 1 AS d WHERE NEW.status IN ('scheduled', 'publishing', 'published')
      ) GROUP BY k HAVING sum(d) <> 0))),
    platforms = json_patch(post_days.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, 1 AS d FROM json_each(NEW.platforms) WHERE NEW.status IN ('scheduled', 'publishing')
      ) GROUP BY k HAVING sum(d) <> 0))),
    times = json_patch(post_days.times, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.times ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, 1 AS d FROM json_each(json_array('all.h' || (NEW.scheduled_at % 86400000 / 3600000), 'all.q' || (NEW.scheduled_at % 86400000 / 900000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.h' || (NEW.scheduled_at % 86400000 / 3600000), iif(NEW.status = 'publishing', 'scheduled', NEW.status) || '.q' || (NEW.scheduled_at % 86400000 / 900000))) WHERE NEW.status <> 'cancelled'
      ) GROUP BY k HAVING sum(d) <> 0)));
END;
--> statement-breakpoint
CREATE TRIGGER post_days_delete AFTER DELETE ON posts
WHEN OLD.status <> 'cancelled'
BEGIN
  UPDATE post_days SET
    scheduled = scheduled - (OLD.status IN ('scheduled', 'publishing')),
    published = published - (OLD.status = 'published'),
    partially_failed = partially_failed - (OLD.status = 'partially_failed'),
    failed = failed - (OLD.status = 'failed'),
    paused = paused - (OLD.status = 'paused'),
    slots = json_patch(post_days.slots, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.slots ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT CAST(OLD.scheduled_at % 86400000 / 900000 AS TEXT) AS k, -1 AS d WHERE OLD.status IN ('scheduled', 'publishing', 'published')
      ) GROUP BY k HAVING sum(d) <> 0))),
    platforms = json_patch(post_days.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(OLD.platforms) WHERE OLD.status IN ('scheduled', 'publishing')
      ) GROUP BY k HAVING sum(d) <> 0))),
    times = json_patch(post_days.times, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_days.times ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT value AS k, -1 AS d FROM json_each(json_array('all.h' || (OLD.scheduled_at % 86400000 / 3600000), 'all.q' || (OLD.scheduled_at % 86400000 / 900000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.h' || (OLD.scheduled_at % 86400000 / 3600000), iif(OLD.status = 'publishing', 'scheduled', OLD.status) || '.q' || (OLD.scheduled_at % 86400000 / 900000))) WHERE OLD.status <> 'cancelled'
      ) GROUP BY k HAVING sum(d) <> 0)))
  WHERE workspace_id = OLD.workspace_id AND day = OLD.scheduled_at / 86400000;
END;
--> statement-breakpoint
CREATE TRIGGER post_totals_insert AFTER INSERT ON post_days
BEGIN
  UPDATE post_totals SET
    scheduled = scheduled + NEW.scheduled,
    published = published + NEW.published,
    partially_failed = partially_failed + NEW.partially_failed,
    failed = failed + NEW.failed,
    paused = paused + NEW.paused,
    platforms = json_patch(post_totals.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_totals.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT key AS k, value AS d FROM json_each(NEW.platforms)
      ) GROUP BY k HAVING sum(d) <> 0)))
  WHERE workspace_id = NEW.workspace_id AND iif(side = 'before', NEW.day < day, NEW.day >= day);
END;
--> statement-breakpoint
CREATE TRIGGER post_totals_change AFTER UPDATE OF scheduled, published, partially_failed, failed, paused, platforms ON post_days
WHEN OLD.scheduled <> NEW.scheduled OR OLD.published <> NEW.published OR OLD.partially_failed <> NEW.partially_failed OR OLD.failed <> NEW.failed OR OLD.paused <> NEW.paused OR OLD.platforms <> NEW.platforms
BEGIN
  UPDATE post_totals SET
    scheduled = scheduled + NEW.scheduled - OLD.scheduled,
    published = published + NEW.published - OLD.published,
    partially_failed = partially_failed + NEW.partially_failed - OLD.partially_failed,
    failed = failed + NEW.failed - OLD.failed,
    paused = paused + NEW.paused - OLD.paused,
    platforms = json_patch(post_totals.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_totals.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT key AS k, -value AS d FROM json_each(OLD.platforms)
        UNION ALL SELECT key AS k, value AS d FROM json_each(NEW.platforms)
      ) GROUP BY k HAVING sum(d) <> 0)))
  WHERE workspace_id = NEW.workspace_id AND iif(side = 'before', NEW.day < day, NEW.day >= day);
END;
--> statement-breakpoint
CREATE TRIGGER post_totals_delete AFTER DELETE ON post_days
BEGIN
  UPDATE post_totals SET
    scheduled = scheduled - OLD.scheduled,
    published = published - OLD.published,
    partially_failed = partially_failed - OLD.partially_failed,
    failed = failed - OLD.failed,
    paused = paused - OLD.paused,
    platforms = json_patch(post_totals.platforms, (SELECT json_group_object(k, iif(n > 0, n, NULL)) FROM (
      SELECT k, coalesce(post_totals.platforms ->> ('$."' || k || '"'), 0) + sum(d) AS n FROM (
        SELECT key AS k, -value AS d FROM json_each(OLD.platforms)
      ) GROUP BY k HAVING sum(d) <> 0)))
  WHERE workspace_id = OLD.workspace_id AND iif(side = 'before', OLD.day < day, OLD.day >= day);
END;
--> statement-breakpoint
-- After the triggers, so that a change while this runs is counted too.
UPDATE post_days SET scheduled = scheduled + publishing, publishing = 0,
  slots = (SELECT json_group_object(k, n) FROM (SELECT CAST(p.scheduled_at % 86400000 / 900000 AS TEXT) AS k, count(*) AS n FROM posts p
    WHERE p.workspace_id = post_days.workspace_id AND p.scheduled_at >= post_days.day * 86400000 AND p.scheduled_at < (post_days.day + 1) * 86400000 AND p.status IN ('scheduled', 'publishing', 'published') GROUP BY k)),
  platforms = (SELECT json_group_object(k, n) FROM (SELECT j.value AS k, count(*) AS n FROM posts p, json_each(p.platforms) j
    WHERE p.workspace_id = post_days.workspace_id AND p.scheduled_at >= post_days.day * 86400000 AND p.scheduled_at < (post_days.day + 1) * 86400000 AND p.status IN ('scheduled', 'publishing') GROUP BY k))
WHERE publishing > 0;
--> statement-breakpoint
UPDATE post_days SET times = (SELECT json_group_object(k, n) FROM (
  SELECT j.value AS k, count(*) AS n FROM posts p, json_each(json_array('all.h' || (p.scheduled_at % 86400000 / 3600000), 'all.q' || (p.scheduled_at % 86400000 / 900000), iif(p.status = 'publishing', 'scheduled', p.status) || '.h' || (p.scheduled_at % 86400000 / 3600000), iif(p.status = 'publishing', 'scheduled', p.status) || '.q' || (p.scheduled_at % 86400000 / 900000))) j
  WHERE p.workspace_id = post_days.workspace_id AND p.scheduled_at >= post_days.day * 86400000 AND p.scheduled_at < (post_days.day + 1) * 86400000 AND p.status IN ('scheduled', 'publishing', 'published', 'partially_failed', 'failed', 'paused') GROUP BY k));
--> statement-breakpoint
INSERT OR IGNORE INTO post_totals (workspace_id, side, day, scheduled, published, partially_failed, failed, paused, platforms)
SELECT w.id, 'before', unixepoch() / 86400 - 2, coalesce(sum(d.scheduled), 0), coalesce(sum(d.published), 0), coalesce(sum(d.partially_failed), 0), coalesce(sum(d.failed), 0), coalesce(sum(d.paused), 0),
  (SELECT json_group_object(k, n) FROM (SELECT j.key AS k, sum(j.value) AS n FROM post_days e, json_each(e.platforms) j
    WHERE e.workspace_id = w.id AND e.day < unixepoch() / 86400 - 2 GROUP BY k))
FROM workspaces w LEFT JOIN post_days d ON d.workspace_id = w.id AND d.day < unixepoch() / 86400 - 2 GROUP BY w.id;
--> statement-breakpoint
INSERT OR IGNORE INTO post_totals (workspace_id, side, day, scheduled, published, partially_failed, failed, paused, platforms)
SELECT w.id, 'from', unixepoch() / 86400 + 61, coalesce(sum(d.scheduled), 0), coalesce(sum(d.published), 0), coalesce(sum(d.partially_failed), 0), coalesce(sum(d.failed), 0), coalesce(sum(d.paused), 0),
  (SELECT json_group_object(k, n) FROM (SELECT j.key AS k, sum(j.value) AS n FROM post_days e, json_each(e.platforms) j
    WHERE e.workspace_id = w.id AND e.day >= unixepoch() / 86400 + 61 GROUP BY k))
FROM workspaces w LEFT JOIN post_days d ON d.workspace_id = w.id AND d.day >= unixepoch() / 86400 + 61 GROUP BY w.id;