#!/bin/sh
# Runs what the file beside the link to this script says, with the arguments given (fluent.ts).
. "$0.words"
