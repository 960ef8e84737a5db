-- Lateness is measured to the call that made a target public; a platform that has to be asked afterwards tells later.
DROP TRIGGER post_days_change;
--> statement-breakpoint
CREATE TRIGGER post_days_change AFTER UPDATE OF status, scheduled_at, platforms, workspace_id ON posts
WHEN OLD.workspace_id = NEW.workspace_id AND OLD.scheduled_at / 86400000 = NEW.scheduled_at / 86400000
  AND (OLD.status <> NEW.status OR OLD.scheduled_at <> NEW.scheduled_at OR OLD.platforms <> NEW.platforms)
BEGIN
  UPDATE post_days SET
    scheduled = scheduled + (NEW.status = 'scheduled') - (OLD.status = 'scheduled'),
    publishing = publishing + (NEW.status = 'publishing') - (OLD.status = 'publishing'),
    published = published + (NEW.status = 'published') - (OLD.status = 'published'),
    partially_failed = partially_failed + (NEW.status = 'partially_failed') - (OLD.status = 'partially_failed'),
    failed = failed + (NEW.status = 'failed') - (OLD.status = 'failed'),
    paused = paused + (NEW.status = 'paused') - (OLD.status = 'paused'),
    slots = (SELECT json_group_object(k, n) FROM (SELECT k, sum(v) AS n FROM (
      SELECT key AS k, value AS v FROM json_each(post_days.slots)
      UNION ALL SELECT CAST(OLD.scheduled_at % 86400000 / 900000 AS TEXT), -1 WHERE OLD.status IN ('scheduled', 'published')
      UNION ALL SELECT CAST(NEW.scheduled_at % 86400000 / 900000 AS TEXT), 1 WHERE NEW.status IN ('scheduled', 'published')
    ) GROUP BY k HAVING n > 0)),
    platforms = (SELECT json_group_object(k, n) FROM (SELECT k, sum(v) AS n FROM (
      SELECT key AS k, value AS v FROM json_each(post_days.platforms)
      UNION ALL SELECT value, -1 FROM json_each(OLD.platforms) WHERE OLD.status = 'scheduled'
      UNION ALL SELECT value, 1 FROM json_each(NEW.platforms) WHERE NEW.status = 'scheduled'
    ) GROUP BY k HAVING n > 0)),
    lateness = iif(OLD.status = 'publishing' AND NEW.status IN ('published', 'partially_failed'),
      (SELECT json_group_object(k, n) FROM (SELECT k, sum(v) AS n FROM (
      SELECT key AS k, value AS v FROM json_each(post_days.lateness)
      UNION ALL SELECT CAST(iif(ms < 100, ms, iif(ms < 1000, ms / 10 * 10, iif(ms < 10000, ms / 100 * 100,
        iif(ms < 100000, ms / 1000 * 1000, ms / 10000 * 10000)))) AS TEXT), 1
        FROM (SELECT max(0, coalesce(started_at, published_at) - due_at) AS ms FROM post_targets
          WHERE post_id = NEW.id AND state = 'published' AND due_at = NEW.scheduled_at)
    ) GROUP BY k HAVING n > 0)),
      lateness)
  WHERE workspace_id = NEW.workspace_id AND day = NEW.scheduled_at / 86400000;
END;
