<!DOCTYPE html>
<title>Chorex</title>
<p>Client and Server have agreed on this page.
