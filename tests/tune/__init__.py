"""Tests of measuring schedules."""
