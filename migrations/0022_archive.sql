CREATE TABLE `archive_orphans` (
	`key` text PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `archive_parts` (
	`workspace_id` text NOT NULL,
	`first_at` integer NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`last_at` integer NOT NULL,
	`published` integer NOT NULL,
	`partially_failed` integer NOT NULL,
	`failed` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`first_id` text NOT NULL,
	`last_id` text NOT NULL,
	`accounts` text NOT NULL,
	`ids` blob NOT NULL,
	PRIMARY KEY(`workspace_id`, `first_at`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `service` ADD `archived_day` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `service` ADD `archived_to` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `service` ADD `full_told_at` integer;