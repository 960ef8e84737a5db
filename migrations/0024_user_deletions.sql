CREATE TABLE `data_exports` (
	`user_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`session_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`files` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `data_exports_expiry` ON `data_exports` (`expires_at`);--> statement-breakpoint
CREATE TABLE `deletions` (
	`user_hash` text PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `user_deletions` (
	`user_id` text PRIMARY KEY NOT NULL,
	`requested_by` text NOT NULL,
	`requested_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`next_run_at` integer NOT NULL,
	`stopped_at` integer,
	`reminded_at` integer,
	`erasing_at` integer,
	`erased_at` integer,
	`workspace_ids` text DEFAULT '[]' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `user_deletions_next` ON `user_deletions` (`next_run_at`);