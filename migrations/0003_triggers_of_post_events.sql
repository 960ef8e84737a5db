-- A batch that changes a post and its targets writes the targets first, so that the event shows the post as it is afterwards.
CREATE TRIGGER event_post_scheduled AFTER INSERT ON posts
WHEN EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.updated_at * 1000), 'post.scheduled', NEW.id, NEW.updated_at, json_object('post', json_object(
      'content', json_object('workspace_id', NEW.workspace_id, 'post_type', NEW.post_type, 'caption', NEW.caption, 'media', NEW.media, 'platforms', NEW.platforms, 'plan_hash', NEW.plan_hash, 'created_via', NEW.created_via, 'created_by', NEW.created_by, 'created_at', NEW.created_at),
      'progress', json_object('id', NEW.id, 'status', NEW.status, 'paused_reason', NEW.paused_reason, 'scheduled_at', NEW.scheduled_at, 'version', NEW.version, 'watch_at', NEW.watch_at, 'updated_at', NEW.updated_at,
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = NEW.workspace_id AND a.post_id = NEW.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = NEW.id)))));
END;
--> statement-breakpoint
-- A post that waits for its next try (publishing to scheduled) was not changed by anybody.
CREATE TRIGGER event_post_changed AFTER UPDATE OF status, version ON posts
WHEN (NEW.version <> OLD.version OR NEW.status <> OLD.status) AND NEW.status <> 'publishing'
  AND NOT (OLD.status = 'publishing' AND NEW.status = 'scheduled') AND EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  VALUES (NEW.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = NEW.workspace_id), 0) + 1, NEW.updated_at * 1000),
    (CASE
      WHEN NEW.status = OLD.status THEN 'post.updated'
      WHEN NEW.status <> 'scheduled' THEN 'post.' || NEW.status
      WHEN OLD.status = 'paused' AND NEW.plan_hash = OLD.plan_hash THEN 'post.resumed'
      ELSE 'post.updated'
    END),
    NEW.id, NEW.updated_at, json_object('previousStatus', OLD.status, 'post', json_object(
      'content', json_object('workspace_id', NEW.workspace_id, 'post_type', NEW.post_type, 'caption', NEW.caption, 'media', NEW.media, 'platforms', NEW.platforms, 'plan_hash', NEW.plan_hash, 'created_via', NEW.created_via, 'created_by', NEW.created_by, 'created_at', NEW.created_at),
      'progress', json_object('id', NEW.id, 'status', NEW.status, 'paused_reason', NEW.paused_reason, 'scheduled_at', NEW.scheduled_at, 'version', NEW.version, 'watch_at', NEW.watch_at, 'updated_at', NEW.updated_at,
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = NEW.workspace_id AND a.post_id = NEW.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = NEW.id)))));
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
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))))
  FROM posts p WHERE p.id = NEW.post_id;
END;
--> statement-breakpoint
-- Connecting and disconnecting an account changes the posts first and their targets afterwards, in one batch: the events show both.
CREATE TRIGGER event_target_skipped AFTER UPDATE OF state ON post_targets
WHEN NEW.state <> OLD.state AND (NEW.state = 'skipped' OR OLD.state = 'skipped')
BEGIN
  UPDATE events SET data = json_set(data, '$.post', json((SELECT json_object(
      'content', json_object('workspace_id', p.workspace_id, 'post_type', p.post_type, 'caption', p.caption, 'media', p.media, 'platforms', p.platforms, 'plan_hash', p.plan_hash, 'created_via', p.created_via, 'created_by', p.created_by, 'created_at', p.created_at),
      'progress', json_object('id', p.id, 'status', p.status, 'paused_reason', p.paused_reason, 'scheduled_at', p.scheduled_at, 'version', p.version, 'watch_at', p.watch_at, 'updated_at', p.updated_at,
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))) FROM posts p WHERE p.id = NEW.post_id)))
  WHERE workspace_id = (SELECT workspace_id FROM posts WHERE id = NEW.post_id) AND seq >= NEW.updated_at * 1000
    AND subject_id = NEW.post_id AND at = NEW.updated_at;
END;
--> statement-breakpoint
-- The annotations of a new post are written before the post and make no event of their own.
CREATE TRIGGER event_post_annotated AFTER INSERT ON post_annotations
WHEN EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  SELECT p.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = p.workspace_id), 0) + 1, NEW.updated_at * 1000), 'post.updated', p.id, NEW.updated_at,
    json_object('previousStatus', p.status, 'post', json_object(
      'content', json_object('workspace_id', p.workspace_id, 'post_type', p.post_type, 'caption', p.caption, 'media', p.media, 'platforms', p.platforms, 'plan_hash', p.plan_hash, 'created_via', p.created_via, 'created_by', p.created_by, 'created_at', p.created_at),
      'progress', json_object('id', p.id, 'status', p.status, 'paused_reason', p.paused_reason, 'scheduled_at', p.scheduled_at, 'version', p.version, 'watch_at', p.watch_at, 'updated_at', p.updated_at,
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))))
  FROM posts p WHERE p.id = NEW.post_id;
END;
--> statement-breakpoint
CREATE TRIGGER event_annotations_changed AFTER UPDATE OF external_id, metadata, labels, notes ON post_annotations
WHEN EXISTS (SELECT 1 FROM event_logs l WHERE l.workspace_id = NEW.workspace_id AND l.recording)
BEGIN
  INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
  SELECT p.workspace_id, max(coalesce((SELECT max(e.seq) FROM events e WHERE e.workspace_id = p.workspace_id), 0) + 1, NEW.updated_at * 1000), 'post.updated', p.id, NEW.updated_at,
    json_object('previousStatus', p.status, 'post', json_object(
      'content', json_object('workspace_id', p.workspace_id, 'post_type', p.post_type, 'caption', p.caption, 'media', p.media, 'platforms', p.platforms, 'plan_hash', p.plan_hash, 'created_via', p.created_via, 'created_by', p.created_by, 'created_at', p.created_at),
      'progress', json_object('id', p.id, 'status', p.status, 'paused_reason', p.paused_reason, 'scheduled_at', p.scheduled_at, 'version', p.version, 'watch_at', p.watch_at, 'updated_at', p.updated_at,
        'annotations', '' || (SELECT json_object('externalId', a.external_id, 'metadata', json(a.metadata), 'labels', json(a.labels), 'notes', a.notes) FROM post_annotations a WHERE a.workspace_id = p.workspace_id AND a.post_id = p.id),
        'targets', '' || (SELECT json_group_array(json_object('content', json_object('accountId', t.account_id, 'position', t.position, 'platform', t.platform, 'username', t.username, 'caption', t.caption, 'effectiveCaption', t.effective_caption, 'options', json(t.options), 'requestedOptions', json(t.requested_options), 'media', json(t.media), 'parts', json(t.progress)), 'progress', json_object('state', t.state, 'dueAt', t.due_at, 'startedAt', t.started_at, 'publishedAt', t.published_at, 'attempts', t.attempts, 'nextAttemptAt', t.next_attempt_at, 'remoteId', t.remote_id, 'remoteUrl', t.remote_url, 'error', json(t.error), 'extras', json(t.extras), 'verifyHistory', iif(t.state = 'verifying', json(t.history), NULL)))) FROM post_targets t WHERE t.post_id = p.id))))
  FROM posts p WHERE p.id = NEW.post_id;
END;
