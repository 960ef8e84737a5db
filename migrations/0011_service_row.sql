CREATE TABLE `service` (
	`id` integer PRIMARY KEY NOT NULL,
	`beat` integer NOT NULL,
	`epoch` integer NOT NULL,
	`held` text,
	`reviewed_to` text DEFAULT '' NOT NULL,
	CONSTRAINT "one_row" CHECK("service"."id" = 1)
);
--> statement-breakpoint
INSERT INTO service (id, beat, epoch) VALUES (1, 0, 0);
