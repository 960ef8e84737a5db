-- The log of events and the notices of a workspace, kept by the database so that no change can be without them. A batch that changes a post
-- and its targets writes its targets first, so that the event tells the post as it is afterwards. The rows inside `data` have the
-- columns of the statements that the API reads with (src/events/ compares them in a test).
CREATE TRIGGER event_post_scheduled AFTER INSERT ON posts
WHEN EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.updated_at * 1000), 'post.scheduled', NEW.id, NEW.updated_at, json_object('post', json_object(
      'content', json_object('workspace_id', NEW.workspace_id, 'post_type', NEW.post_type, 'caption', NEW.caption, 'media', NEW.media, 'platforms', NEW.platforms, 'plan_hash', NEW.plan_hash, 'created_via', NEW.created_via, 'created_by', NEW.created_by, 'created_at', NEW.created_at),
      'progress', json_object('id', NEW.id, 'status', NEW.status, 'paused_reason', NEW.paused_reason, 'scheduled_at', NEW.scheduled_at, 'version', NEW.version, 'watch_at', NEW.watch_at, 'updated_at', NEW.updated_at,
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.asked)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = NEW.id)))));
END;
--> statement-breakpoint
-- A post that waits for its next try (publishing to scheduled) has not been changed by anybody.
CREATE TRIGGER event_post_changed AFTER UPDATE OF status, version ON posts
WHEN (NEW.version <> OLD.version OR NEW.status <> OLD.status) AND NEW.status <> 'publishing'
  AND NOT (OLD.status = 'publishing' AND NEW.status = 'scheduled') AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.updated_at * 1000),
    CASE
      WHEN NEW.status = OLD.status THEN 'post.updated'
      WHEN NEW.status <> 'scheduled' THEN 'post.' || NEW.status
      WHEN OLD.status = 'paused' AND NEW.plan_hash = OLD.plan_hash THEN 'post.resumed'
      ELSE 'post.updated'
    END,
    NEW.id, NEW.updated_at, json_object('previousStatus', OLD.status, 'post', json_object(
      'content', json_object('workspace_id', NEW.workspace_id, 'post_type', NEW.post_type, 'caption', NEW.caption, 'media', NEW.media, 'platforms', NEW.platforms, 'plan_hash', NEW.plan_hash, 'created_via', NEW.created_via, 'created_by', NEW.created_by, 'created_at', NEW.created_at),
      'progress', json_object('id', NEW.id, 'status', NEW.status, 'paused_reason', NEW.paused_reason, 'scheduled_at', NEW.scheduled_at, 'version', NEW.version, 'watch_at', NEW.watch_at, 'updated_at', NEW.updated_at,
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.asked)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = NEW.id)))));
END;
--> statement-breakpoint
CREATE TRIGGER event_target_ended AFTER UPDATE OF state ON post_targets
WHEN NEW.state <> OLD.state AND NEW.state IN ('published', 'failed', 'unconfirmed')
  AND EXISTS (SELECT 1 FROM posts p JOIN event_logs l ON l.workspace_id = p.workspace_id WHERE p.id = NEW.post_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  SELECT p.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = p.workspace_id), 0) + 1, NEW.updated_at * 1000), 'target.' || NEW.state, NEW.post_id, NEW.updated_at,
    json_object('accountId', NEW.account_id, 'post', json_object(
      'content', json_object('workspace_id', p.workspace_id, 'post_type', p.post_type, 'caption', p.caption, 'media', p.media, 'platforms', p.platforms, 'plan_hash', p.plan_hash, 'created_via', p.created_via, 'created_by', p.created_by, 'created_at', p.created_at),
      'progress', json_object('id', p.id, 'status', p.status, 'paused_reason', p.paused_reason, 'scheduled_at', p.scheduled_at, 'version', p.version, 'watch_at', p.watch_at, 'updated_at', p.updated_at,
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.asked)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))))
  FROM posts p WHERE p.id = NEW.post_id;
END;
--> statement-breakpoint
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
-- Erased accounts (their platform's id is replaced) are told nothing of: their owner asked for that.
CREATE TRIGGER event_account_changed AFTER UPDATE OF status, disconnected_at ON accounts
WHEN (NEW.status <> OLD.status OR (NEW.disconnected_at IS NULL) <> (OLD.disconnected_at IS NULL))
  AND NOT (NEW.disconnected_at IS NOT NULL AND OLD.disconnected_at IS NOT NULL)
  AND NEW.platform_account_id = OLD.platform_account_id AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000),
    CASE
      WHEN NEW.disconnected_at IS NOT NULL THEN 'account.disconnected'
      WHEN OLD.disconnected_at IS NOT NULL OR NEW.status = 'active' THEN 'account.connected'
      ELSE 'account.needs_reconnect'
    END,
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
CREATE TRIGGER notice_webhook_deleted AFTER DELETE ON webhooks
BEGIN
  DELETE FROM notices WHERE workspace_id = OLD.workspace_id AND kind = 'webhook_disabled' AND subject_id = OLD.id;
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
-- Connecting and disconnecting an account changes the posts first and their targets afterwards, in one batch: the events tell both.
CREATE TRIGGER event_target_skipped AFTER UPDATE OF state ON post_targets
WHEN NEW.state <> OLD.state AND (NEW.state = 'skipped' OR OLD.state = 'skipped')
BEGIN
  UPDATE events SET data = json_set(data, '$.post', json((SELECT json_object(
      'content', json_object('workspace_id', p.workspace_id, 'post_type', p.post_type, 'caption', p.caption, 'media', p.media, 'platforms', p.platforms, 'plan_hash', p.plan_hash, 'created_via', p.created_via, 'created_by', p.created_by, 'created_at', p.created_at),
      'progress', json_object('id', p.id, 'status', p.status, 'paused_reason', p.paused_reason, 'scheduled_at', p.scheduled_at, 'version', p.version, 'watch_at', p.watch_at, 'updated_at', p.updated_at,
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.asked)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))) FROM posts p WHERE p.id = NEW.post_id)))
  WHERE workspace_id = (SELECT workspace_id FROM posts WHERE id = NEW.post_id) AND seq >= NEW.updated_at * 1000
    AND subject_id = NEW.post_id AND at = NEW.updated_at;
END;
