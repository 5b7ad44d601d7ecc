#!/usr/bin/env escript
%% distribution.escript: the same messages between two processes on two Erlang nodes. See pair.h for the arguments and for what it prints.
%% Without NEAR in the environment this is the far node, which waits for messages until it is ended. bench/others.py gives both the flags for
%% distribution over TLS.
-mode(compile).

main([_, What, Count, Size]) ->
    case os:getenv("NEAR") of
        false ->
            register(bench, self()),
            io:format("ready~n"),
            far(none, 0);
        _ ->
            near(What, list_to_integer(Count), binary:copy(<<0>>, list_to_integer(Size)))
    end.

%% In a stream the last message asks for an answer.
far(From, Received) ->
    receive
        {From2, round, Value} -> From2 ! Value, far(From, Received);
        {From2, last, Value} -> From2 ! Value, far(From, Received);
        _Value -> far(From, Received + 1)
    end.

near(What, Count, Value) ->
    Node = 'far@127.0.0.1',
    pong = net_adm:ping(Node),
    Far = {bench, Node},
    Begin = erlang:monotonic_time(nanosecond),
    case What of
        "rounds" -> rounds(Far, Count, Value);
        "stream" -> stream(Far, Count, Value)
    end,
    Taken = erlang:monotonic_time(nanosecond) - Begin,
    io:format("{\"wall_s\": ~.9f}~n", [Taken / 1.0e9]).

rounds(_, 0, _) -> ok;
rounds(Far, Count, Value) ->
    Far ! {self(), round, Value},
    receive Value -> ok end,
    rounds(Far, Count - 1, Value).

stream(Far, 1, Value) ->
    Far ! {self(), last, Value},
    receive Value -> ok end;
stream(Far, Count, Value) ->
    Far ! Value,
    stream(Far, Count - 1, Value).
