ALTER TABLE `workspaces` ADD `alerts_mailed_at` integer;--> statement-breakpoint
CREATE INDEX `notices_open` ON `notices` (`workspace_id`,`at`) WHERE dismissed_at IS NULL;--> statement-breakpoint
-- The end of a login was moved by a new login or a renewal: what was told of the old one is settled.
CREATE TRIGGER notice_login_renewed AFTER UPDATE OF ends_at ON connections
WHEN NEW.ends_at IS NOT OLD.ends_at
BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind = 'account_expires_soon'
    AND subject_id IN (SELECT a.id FROM accounts a WHERE a.connection_id = NEW.id);
END;
--> statement-breakpoint
-- Every change of the status or the end settles what was told before. When access ends, its posts are paused in the same batch or right
-- after it: both are found here.
CREATE TRIGGER notice_subscription_changed AFTER UPDATE OF status, current_period_end ON subscriptions
WHEN NEW.status <> OLD.status OR NEW.current_period_end IS NOT OLD.current_period_end
BEGIN
  DELETE FROM notices WHERE kind = 'subscription_ends' AND subject_id = NEW.user_id
    AND workspace_id IN (SELECT w.id FROM workspaces w WHERE w.user_id = NEW.user_id);
  INSERT INTO notices (workspace_id, kind, subject_id, at)
  SELECT u.active_workspace_id, 'subscription_ends', u.id, NEW.updated_at FROM users u
  WHERE u.id = NEW.user_id AND NEW.status = 'canceled' AND OLD.status <> 'canceled' AND EXISTS (
    SELECT 1 FROM workspaces w CROSS JOIN posts p ON p.workspace_id = w.id
    WHERE w.user_id = NEW.user_id AND p.status IN ('scheduled', 'paused') AND p.scheduled_at >= NEW.updated_at
      AND (p.status = 'scheduled' OR p.paused_reason = 'subscription'))
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
END;
