#!/bin/sh
# Runs the command in the file beside the link to this script, with the given arguments (fluent.ts).
. "$0.argv"
