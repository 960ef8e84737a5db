-- Triggers write events and notices, so that no change can be without them. The rows inside data have the columns of the
-- statements that the API reads with: a test of src/events compares them.
CREATE TRIGGER event_account_added AFTER INSERT ON accounts
WHEN NEW.disconnected_at IS NULL AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000), 'account.connected', NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER), json_object('account', json_object(
      'content', json_object('id', NEW.id, 'workspace_id', NEW.workspace_id, 'connection_id', NEW.connection_id, 'platform', NEW.platform, 'platform_account_id', NEW.platform_account_id, 'username', NEW.username, 'display_name', NEW.display_name, 'avatar_url', NEW.avatar_url, 'profile_url', NEW.profile_url, 'capabilities', NEW.capabilities),
      'progress', json_object('missing_scopes', NEW.missing_scopes, 'status', NEW.status, 'status_reason', NEW.status_reason, 'connected_at', NEW.connected_at, 'last_synced_at', NEW.last_synced_at, 'disconnected_at', NEW.disconnected_at,
        'token_expires_at', (SELECT c.token_expires_at FROM connections c WHERE c.id = NEW.connection_id),
        'ends_at', (SELECT c.ends_at FROM connections c WHERE c.id = NEW.connection_id)))));
END;
--> statement-breakpoint
-- An erased account has another platform_account_id. It makes no event, because its owner asked for the erasure.
CREATE TRIGGER event_account_changed AFTER UPDATE OF status, disconnected_at ON accounts
WHEN (NEW.status <> OLD.status OR (NEW.disconnected_at IS NULL) <> (OLD.disconnected_at IS NULL))
  AND NOT (NEW.disconnected_at IS NOT NULL AND OLD.disconnected_at IS NOT NULL)
  AND NEW.platform_account_id = OLD.platform_account_id AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000),
    (CASE
      WHEN NEW.disconnected_at IS NOT NULL THEN 'account.disconnected'
      WHEN OLD.disconnected_at IS NOT NULL OR NEW.status = 'active' THEN 'account.connected'
      ELSE 'account.needs_reconnect'
    END),
    NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER),
    json_object('previousStatus', iif(OLD.disconnected_at IS NULL, OLD.status, 'disconnected'), 'account', json_object(
      'content', json_object('id', NEW.id, 'workspace_id', NEW.workspace_id, 'connection_id', NEW.connection_id, 'platform', NEW.platform, 'platform_account_id', NEW.platform_account_id, 'username', NEW.username, 'display_name', NEW.display_name, 'avatar_url', NEW.avatar_url, 'profile_url', NEW.profile_url, 'capabilities', NEW.capabilities),
      'progress', json_object('missing_scopes', NEW.missing_scopes, 'status', NEW.status, 'status_reason', NEW.status_reason, 'connected_at', NEW.connected_at, 'last_synced_at', NEW.last_synced_at, 'disconnected_at', NEW.disconnected_at,
        'token_expires_at', (SELECT c.token_expires_at FROM connections c WHERE c.id = NEW.connection_id),
        'ends_at', (SELECT c.ends_at FROM connections c WHERE c.id = NEW.connection_id)))));
END;
--> statement-breakpoint
CREATE TRIGGER event_login_ends AFTER UPDATE OF end_announced ON connections
WHEN NEW.end_announced IS NOT NULL AND NEW.end_announced IS NOT OLD.end_announced AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  SELECT a.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000) + row_number() OVER (ORDER BY a.id) - 1, 'account.expires_soon', a.id, CAST(unixepoch('subsec') * 1000 AS INTEGER),
    json_object('account', json_object(
      'content', json_object('id', a.id, 'workspace_id', a.workspace_id, 'connection_id', a.connection_id, 'platform', a.platform, 'platform_account_id', a.platform_account_id, 'username', a.username, 'display_name', a.display_name, 'avatar_url', a.avatar_url, 'profile_url', a.profile_url, 'capabilities', a.capabilities),
      'progress', json_object('missing_scopes', a.missing_scopes, 'status', a.status, 'status_reason', a.status_reason, 'connected_at', a.connected_at, 'last_synced_at', a.last_synced_at, 'disconnected_at', a.disconnected_at,
        'token_expires_at', (SELECT c.token_expires_at FROM connections c WHERE c.id = a.connection_id),
        'ends_at', (SELECT c.ends_at FROM connections c WHERE c.id = a.connection_id))))
  FROM accounts a WHERE a.connection_id = NEW.id AND a.disconnected_at IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER event_approval_requested AFTER INSERT ON approvals
WHEN EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.created_at * 1000), 'approval.requested', NEW.id, NEW.created_at, json_object('approval', json_object('id', NEW.id, 'workspaceId', NEW.workspace_id, 'kind', NEW.kind, 'state', NEW.state, 'planHash', NEW.plan_hash, 'requestedBy', NEW.requested_by, 'via', NEW.via, 'note', NEW.note,
      'postIds', NEW.post_ids, 'details', NEW.details, 'createdAt', NEW.created_at, 'expiresAt', NEW.expires_at, 'decidedAt', NEW.decided_at,
      'posts', '' || (SELECT json_group_array(json_object('id', p.value ->> 'id', 'scheduledAt', p.value ->> 'scheduledAt', 'caption', substr(p.value ->> 'caption', 1, 140), 'postType', p.value ->> 'postType', 'platforms', json(iif(NEW.kind = 'edit', p.value -> 'platforms', (SELECT json_group_array(platform) FROM (SELECT DISTINCT t.value ->> 'platform' AS platform FROM json_each(p.value, '$.targets') t))))))
        FROM json_each(iif(NEW.kind = 'edit', NEW.plan -> 'posts', json_array(json(NEW.plan -> 'post')))) p))));
END;
--> statement-breakpoint
CREATE TRIGGER event_approval_decided AFTER UPDATE OF state ON approvals
WHEN NEW.state <> OLD.state AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.decided_at * 1000), 'approval.' || NEW.state, NEW.id, NEW.decided_at, json_object('previousStatus', OLD.state, 'approval', json_object('id', NEW.id, 'workspaceId', NEW.workspace_id, 'kind', NEW.kind, 'state', NEW.state, 'planHash', NEW.plan_hash, 'requestedBy', NEW.requested_by, 'via', NEW.via, 'note', NEW.note,
      'postIds', NEW.post_ids, 'details', NEW.details, 'createdAt', NEW.created_at, 'expiresAt', NEW.expires_at, 'decidedAt', NEW.decided_at,
      'posts', '' || (SELECT json_group_array(json_object('id', p.value ->> 'id', 'scheduledAt', p.value ->> 'scheduledAt', 'caption', substr(p.value ->> 'caption', 1, 140), 'postType', p.value ->> 'postType', 'platforms', json(iif(NEW.kind = 'edit', p.value -> 'platforms', (SELECT json_group_array(platform) FROM (SELECT DISTINCT t.value ->> 'platform' AS platform FROM json_each(p.value, '$.targets') t))))))
        FROM json_each(iif(NEW.kind = 'edit', NEW.plan -> 'posts', json_array(json(NEW.plan -> 'post')))) p))));
END;
--> statement-breakpoint
CREATE TRIGGER event_webhook_disabled AFTER UPDATE OF disabled_at ON webhooks
WHEN NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL AND NEW.disabled_reason <> 'user'
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.disabled_at * 1000), 'webhook.disabled', NEW.id, NEW.disabled_at,
    json_object('webhook', json_object('id', NEW.id, 'url', NEW.url, 'description', NEW.description, 'types', NEW.types, 'disabledReason', NEW.disabled_reason)));
  INSERT INTO notices (workspace_id, kind, subject_id, at) VALUES (NEW.workspace_id, 'webhook_disabled', NEW.id, NEW.disabled_at)
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
END;
--> statement-breakpoint
CREATE TRIGGER notice_webhook_enabled AFTER UPDATE OF disabled_at ON webhooks
WHEN NEW.disabled_at IS NULL AND OLD.disabled_at IS NOT NULL
BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind = 'webhook_disabled' AND subject_id = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER notice_target_ended AFTER UPDATE OF state ON post_targets
WHEN NEW.state <> OLD.state AND NEW.state IN ('failed', 'unconfirmed')
BEGIN
  INSERT INTO notices (workspace_id, kind, subject_id, at)
  SELECT p.workspace_id, 'post_' || NEW.state, p.id, NEW.updated_at FROM posts p WHERE p.id = NEW.post_id
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
END;
--> statement-breakpoint
CREATE TRIGGER notice_post_tried_again AFTER UPDATE OF status ON posts
WHEN OLD.status IN ('failed', 'partially_failed') AND NEW.status = 'scheduled'
BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind IN ('post_failed', 'post_unconfirmed') AND subject_id = NEW.id;
END;
--> statement-breakpoint
CREATE TRIGGER notice_account_changed AFTER UPDATE OF status, disconnected_at ON accounts
WHEN NEW.status <> OLD.status OR (NEW.disconnected_at IS NULL) <> (OLD.disconnected_at IS NULL)
BEGIN
  INSERT INTO notices (workspace_id, kind, subject_id, at)
  SELECT NEW.workspace_id, 'account_needs_reconnect', NEW.id, CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE NEW.status = 'needs_reconnect' AND NEW.disconnected_at IS NULL
  ON CONFLICT DO UPDATE SET at = excluded.at, mailed_at = NULL, dismissed_at = NULL;
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind IN ('account_needs_reconnect', 'account_expires_soon') AND subject_id = NEW.id
    AND (NEW.status = 'active' OR NEW.disconnected_at IS NOT NULL);
END;
--> statement-breakpoint
-- A new login or a renewal moves the end of a login and settles the notice of the old end.
CREATE TRIGGER notice_login_renewed AFTER UPDATE OF ends_at ON connections
WHEN NEW.ends_at IS NOT OLD.ends_at
BEGIN
  DELETE FROM notices WHERE workspace_id = NEW.workspace_id AND kind = 'account_expires_soon'
    AND subject_id IN (SELECT a.id FROM accounts a WHERE a.connection_id = NEW.id);
END;
--> statement-breakpoint
-- A change of the status or the end settles the earlier notices. Posts are paused in the same batch as the end of access, or right
-- after it: this trigger finds both.
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
CREATE TRIGGER notice_webhook_deleted AFTER DELETE ON webhooks
BEGIN
  DELETE FROM notices WHERE workspace_id = OLD.workspace_id AND kind IN ('webhook_disabled', 'webhook_made') AND subject_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER feeds_of_renamed_workspace AFTER UPDATE OF name ON workspaces
BEGIN
  UPDATE calendar_feeds SET changes = changes + 1 WHERE workspace_id = NEW.id;
END;
