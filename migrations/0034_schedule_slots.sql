CREATE TABLE `schedule_slots` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`time_zone` text NOT NULL,
	`slots` text NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
