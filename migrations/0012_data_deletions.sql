CREATE TABLE `data_deletions` (
	`code` text PRIMARY KEY NOT NULL,
	`platform` text NOT NULL,
	`person_hash` text NOT NULL,
	`external_id` text,
	`issued_at` integer NOT NULL,
	`requested_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `data_deletions_person` ON `data_deletions` (`platform`,`person_hash`);--> statement-breakpoint
CREATE INDEX `data_deletions_open` ON `data_deletions` (`requested_at`) WHERE completed_at IS NULL;