CREATE TABLE `brought_forward` (
	`post_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `operator_alerts` (
	`kind` text NOT NULL,
	`label` text NOT NULL,
	`state` text NOT NULL,
	`since` integer NOT NULL,
	`calm_since` integer,
	`changed_at` integer NOT NULL,
	`mailed` integer DEFAULT 0 NOT NULL,
	`posted` integer DEFAULT 0 NOT NULL,
	`detail` text NOT NULL,
	PRIMARY KEY(`kind`, `label`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `service_hours` (
	`hour` integer NOT NULL,
	`metric` text NOT NULL,
	`label` text NOT NULL,
	`count` integer NOT NULL,
	`sum` integer DEFAULT 0 NOT NULL,
	`buckets` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`hour`, `metric`, `label`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `service_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`noted` text DEFAULT '[]' NOT NULL,
	`posts_to` integer DEFAULT 0 NOT NULL,
	`notices_to` integer DEFAULT 0 NOT NULL,
	`mail_begun_at` integer DEFAULT 0 NOT NULL,
	`webhook_begun_at` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "one_progress" CHECK("service_progress"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE `users` ADD `role` text;
--> statement-breakpoint
INSERT INTO service_progress (id, posts_to, notices_to) SELECT 1, coalesce((SELECT max(rowid) FROM posts), 0), coalesce((SELECT max(at) FROM notices), 0);
--> statement-breakpoint
-- The installation's first user is the one who set it up.
UPDATE users SET role = 'operator' WHERE id = (SELECT id FROM users ORDER BY created_at, id LIMIT 1);
--> statement-breakpoint
-- A post that was far from its time at the last run of the cron and is due before the next one; the cron sees all others in posts_watch.
CREATE TRIGGER post_brought_forward AFTER UPDATE OF watch_at ON posts
WHEN NEW.status = 'scheduled' AND OLD.status <> 'publishing' AND NEW.version > OLD.version
  AND NEW.watch_at <= NEW.updated_at + 600000 AND (OLD.watch_at IS NULL OR OLD.watch_at > NEW.updated_at + 480000)
BEGIN
  INSERT OR IGNORE INTO brought_forward (post_id, at) VALUES (NEW.id, NEW.updated_at);
END;
