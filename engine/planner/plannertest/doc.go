// Package plannertest makes trees and a world for the tests of the planner's packages.
package plannertest
