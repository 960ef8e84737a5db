-- Triggers keep the counters of a day, so that no write can forget them. Cancelled posts count nowhere. A publishing post counts as
-- scheduled, so that a claim does not write its day. The batch that ends a post writes its targets first, because lateness is read
-- from them. A change patches only its own members, so that it reads as much on a day of 1,000 posts as on a day of one.
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
-- The post was far from its time at the last run of the cron and is due before the next one. The cron finds all others in posts_watch.
CREATE TRIGGER post_brought_forward AFTER UPDATE OF watch_at ON posts
WHEN NEW.status = 'scheduled' AND OLD.status <> 'publishing' AND NEW.version > OLD.version
  AND NEW.watch_at <= NEW.updated_at + 600000 AND (OLD.watch_at IS NULL OR OLD.watch_at > NEW.updated_at + 480000)
BEGIN
  INSERT OR IGNORE INTO brought_forward (post_id, at) VALUES (NEW.id, NEW.updated_at);
END;
--> statement-breakpoint
-- Lists find the posts of a label or an external id by these rows, which only triggers write.
CREATE TRIGGER annotated_posts_insert AFTER INSERT ON post_annotations
BEGIN
  INSERT INTO annotated_posts (workspace_id, kind, value, scheduled_at, post_id)
  SELECT NEW.workspace_id, 'external_id', NEW.external_id, NEW.scheduled_at, NEW.post_id WHERE NEW.external_id IS NOT NULL;
  INSERT INTO annotated_posts (workspace_id, kind, value, scheduled_at, post_id)
  SELECT DISTINCT NEW.workspace_id, 'label', l.value, NEW.scheduled_at, NEW.post_id FROM json_each(NEW.labels) l;
END;
--> statement-breakpoint
CREATE TRIGGER annotated_posts_change AFTER UPDATE OF external_id, labels, scheduled_at ON post_annotations
WHEN NEW.external_id IS NOT OLD.external_id OR NEW.labels <> OLD.labels OR NEW.scheduled_at <> OLD.scheduled_at
BEGIN
  DELETE FROM annotated_posts WHERE workspace_id = OLD.workspace_id AND kind = 'external_id' AND value = OLD.external_id
    AND scheduled_at = OLD.scheduled_at AND post_id = OLD.post_id;
  DELETE FROM annotated_posts WHERE workspace_id = OLD.workspace_id AND kind = 'label' AND value IN (SELECT l.value FROM json_each(OLD.labels) l)
    AND scheduled_at = OLD.scheduled_at AND post_id = OLD.post_id;
  INSERT INTO annotated_posts (workspace_id, kind, value, scheduled_at, post_id)
  SELECT NEW.workspace_id, 'external_id', NEW.external_id, NEW.scheduled_at, NEW.post_id WHERE NEW.external_id IS NOT NULL;
  INSERT INTO annotated_posts (workspace_id, kind, value, scheduled_at, post_id)
  SELECT DISTINCT NEW.workspace_id, 'label', l.value, NEW.scheduled_at, NEW.post_id FROM json_each(NEW.labels) l;
END;
--> statement-breakpoint
CREATE TRIGGER annotated_posts_delete AFTER DELETE ON post_annotations
BEGIN
  DELETE FROM annotated_posts WHERE workspace_id = OLD.workspace_id AND kind = 'external_id' AND value = OLD.external_id
    AND scheduled_at = OLD.scheduled_at AND post_id = OLD.post_id;
  DELETE FROM annotated_posts WHERE workspace_id = OLD.workspace_id AND kind = 'label' AND value IN (SELECT l.value FROM json_each(OLD.labels) l)
    AND scheduled_at = OLD.scheduled_at AND post_id = OLD.post_id;
END;
--> statement-breakpoint
CREATE TRIGGER post_annotations_reschedule AFTER UPDATE OF scheduled_at ON posts
WHEN NEW.scheduled_at <> OLD.scheduled_at
BEGIN
  UPDATE post_annotations SET scheduled_at = NEW.scheduled_at WHERE workspace_id = NEW.workspace_id AND post_id = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER post_annotations_delete AFTER DELETE ON posts
BEGIN
  DELETE FROM post_annotations WHERE workspace_id = OLD.workspace_id AND post_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER media_fits_delete AFTER DELETE ON media
BEGIN
  DELETE FROM media_fits WHERE media_id = OLD.id;
END;
--> statement-breakpoint
-- The sweep keeps the media that a draft names. Only triggers write these rows.
CREATE TRIGGER draft_media_insert AFTER INSERT ON drafts
BEGIN
  INSERT INTO draft_media (media_id, workspace_id, draft_id)
  SELECT DISTINCT m.value, NEW.workspace_id, NEW.id FROM json_each(NEW.media_ids) m;
END;
--> statement-breakpoint
CREATE TRIGGER draft_media_change AFTER UPDATE OF media_ids ON drafts WHEN NEW.media_ids <> OLD.media_ids
BEGIN
  DELETE FROM draft_media WHERE draft_id = OLD.id;
  INSERT INTO draft_media (media_id, workspace_id, draft_id)
  SELECT DISTINCT m.value, NEW.workspace_id, NEW.id FROM json_each(NEW.media_ids) m;
END;
--> statement-breakpoint
CREATE TRIGGER draft_media_delete AFTER DELETE ON drafts
BEGIN
  DELETE FROM draft_media WHERE draft_id = OLD.id;
END;
--> statement-breakpoint
-- A workspace without a calendar feed pays one look into an index. What a run only notes for itself is nothing that a feed shows.
CREATE TRIGGER feeds_of_new_post AFTER INSERT ON posts
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER feeds_of_changed_post AFTER UPDATE OF status, scheduled_at, version, caption, updated_at ON posts
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER feeds_of_deleted_post AFTER DELETE ON posts
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = OLD.workspace_id;
END;
--> statement-breakpoint
-- Between the two states in which a target waits and the end, a feed shows the same words, whatever the step.
CREATE TRIGGER feeds_of_changed_target AFTER UPDATE OF state, next_attempt_at, username, remote_url ON post_targets
WHEN (NEW.state <> OLD.state AND (NEW.state IN ('published', 'failed', 'unconfirmed', 'skipped') OR OLD.state IN ('published', 'failed', 'unconfirmed', 'skipped')))
  OR NEW.next_attempt_at IS NOT OLD.next_attempt_at OR NEW.username <> OLD.username OR NEW.remote_url IS NOT OLD.remote_url
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = (SELECT p.workspace_id FROM posts p WHERE p.id = NEW.post_id);
END;
