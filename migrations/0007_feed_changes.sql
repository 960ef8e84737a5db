ALTER TABLE `calendar_feeds` ADD `changes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER feeds_of_renamed_workspace AFTER UPDATE OF name ON workspaces
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = NEW.id;
END;
