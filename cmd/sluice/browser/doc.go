// Package browser refuses requests that a page of another site makes a browser send: [OwnPages] looks at the names and origins of a request,
// [TypedControl] at the type of a control call.
//
// It does not know what is served, nor who may see it: the handler behind it does.
package browser
