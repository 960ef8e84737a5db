CREATE TABLE `calendar_feeds` (
	`hash` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `calendar_feeds_workspace` ON `calendar_feeds` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `event_logs` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`switched_on` integer DEFAULT false NOT NULL,
	`recording` integer NOT NULL,
	`sweep_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `event_logs_sweep` ON `event_logs` (`sweep_at`);--> statement-breakpoint
CREATE TABLE `events` (
	`workspace_id` text NOT NULL,
	`seq` integer NOT NULL,
	`type` text NOT NULL,
	`subject_id` text NOT NULL,
	`at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `notices` (
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`at` integer NOT NULL,
	`mailed_at` integer,
	`dismissed_at` integer,
	PRIMARY KEY(`workspace_id`, `kind`, `subject_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `notices_unmailed` ON `notices` (`workspace_id`,`at`) WHERE mailed_at IS NULL;--> statement-breakpoint
CREATE INDEX `notices_age` ON `notices` (`at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`types` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`previous_sealed_secret` text,
	`previous_secret_until` integer,
	`start_after` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`disabled_at` integer,
	`disabled_reason` text
);
--> statement-breakpoint
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace_id`);--> statement-breakpoint
CREATE INDEX `webhooks_enabled` ON `webhooks` (`workspace_id`,`id`) WHERE disabled_at IS NULL;--> statement-breakpoint
ALTER TABLE `connections` ADD `end_announced` integer;--> statement-breakpoint
CREATE INDEX `connections_ending` ON `connections` (`ends_at`) WHERE ends_at IS NOT NULL AND end_announced IS NOT ends_at;--> statement-breakpoint
ALTER TABLE `service` ADD `webhooks_told_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `muted_alerts` text DEFAULT '[]' NOT NULL;