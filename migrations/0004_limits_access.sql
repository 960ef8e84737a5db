ALTER TABLE `webhooks` ADD `made_by` text;--> statement-breakpoint
CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
--> statement-breakpoint
CREATE TRIGGER webhooks_of_revoked_key AFTER UPDATE OF revoked_at ON api_keys
WHEN NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL
BEGIN
  UPDATE webhooks SET disabled_at = NEW.revoked_at, disabled_reason = 'access_ended', updated_at = NEW.revoked_at
  WHERE workspace_id IN (SELECT id FROM workspaces WHERE user_id = NEW.user_id) AND disabled_at IS NULL AND made_by ->> '$.id' = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER webhooks_of_revoked_app AFTER UPDATE OF revoked_at ON oauth_grants
WHEN NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL
BEGIN
  UPDATE webhooks SET disabled_at = NEW.revoked_at, disabled_reason = 'access_ended', updated_at = NEW.revoked_at
  WHERE workspace_id IN (SELECT id FROM workspaces WHERE user_id = NEW.user_id) AND disabled_at IS NULL AND made_by ->> '$.id' = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER notice_webhook_made AFTER INSERT ON webhooks
WHEN NEW.made_by IS NOT NULL
BEGIN
  INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES (NEW.workspace_id, 'webhook_made', NEW.id, NEW.created_at)
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
END;
--> statement-breakpoint
CREATE TRIGGER notice_webhook_taken AFTER UPDATE OF made_by ON webhooks
WHEN NEW.made_by IS NOT NULL AND (NEW.url <> OLD.url OR (NEW.disabled_at IS NULL AND OLD.disabled_at IS NOT NULL))
BEGIN
  INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES (NEW.workspace_id, 'webhook_made', NEW.id, NEW.updated_at)
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
END;
--> statement-breakpoint
DROP TRIGGER notice_webhook_deleted;
--> statement-breakpoint
CREATE TRIGGER notice_webhook_deleted AFTER DELETE ON webhooks
BEGIN
  DELETE FROM notices WHERE workspace_id = OLD.workspace_id AND kind IN ('webhook_disabled', 'webhook_made') AND subject_id = OLD.id;
END;
