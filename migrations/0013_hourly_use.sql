CREATE TABLE `hourly_use` (
	`hour` integer NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`hour`, `user_id`, `name`)
) WITHOUT ROWID;
